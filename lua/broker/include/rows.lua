-- Small steps over rows, in chunks: nothing whose length a caller decides is unpacked whole.
-- @include broker/keys
local CHUNK = 1000

local function each_chunk(list, use)
  for from = 1, #list, CHUNK do
    use(from, math.min(from + CHUNK - 1, #list))
  end
end

local function add_rows(key, ids)
  each_chunk(ids, function(from, to)
    local args = {}
    for i = from, to do
      args[#args + 1] = 0
      args[#args + 1] = ids[i]
    end
    redis.call('ZADD', key, unpack(args))
  end)
end

local function take_rows(key, ids)
  local count = 0
  each_chunk(ids, function(from, to)
    count = count + redis.call('ZREM', key, unpack(ids, from, to))
  end)
  return count
end

local function forget(ids)
  local has_runs = redis.call('EXISTS', RUNS) == 1
  each_chunk(ids, function(from, to)
    redis.call('HDEL', BODIES, unpack(ids, from, to))
    if has_runs then redis.call('HDEL', RUNS, unpack(ids, from, to)) end
  end)
end

local function is_empty(queue)
  return redis.call('EXISTS', key_of(queue, 'pending'), key_of(queue, 'postponed'),
    key_of(queue, 'reserved'), key_of(queue, 'claimed'), key_of(queue, 'dead')) == 0
end

local function deregister_if_empty(queue)
  if is_empty(queue) then redis.call('SREM', QUEUES, queue) end
end

local function can_take_rows(queue, part)
  return is_type(key_of(queue, part or 'pending'), 'zset')
end

local function wrong_type(queue)
  return redis.error_reply('INTEGRITY a key of ' .. queue .. ' is of another type')
end

-- Whether all keys of a queue are of their types: verbs that change several look before the first.
local function is_sound(queue)
  for _, part in ipairs(PARTS) do
    if not can_take_rows(queue, part) then return false end
  end
  return can_take_rows(queue, 'leases')
end

local function can_take_messages()
  return is_type(BODIES, 'hash') and is_type(QUEUES, 'set')
end

-- The same for verbs that forget messages.
local function can_forget_messages()
  return can_take_messages() and is_type(RUNS, 'hash')
end

local WRONG_NAMESPACE = redis.error_reply('INTEGRITY a key of the namespace is of another type')
