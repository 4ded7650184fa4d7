-- New entries of the group, and the fences of everything that is handed out.
local MAX_ROUNDS = 10

-- The stream or the group is gone (DEL, FLUSHALL, XGROUP DESTROY): made again, from the start.
local function heal_group()
  redis.call('XGROUP', 'CREATE', STREAM, group, '0', 'MKSTREAM')
  redis.call('DEL', RELEASES)
  has_releases = false
end

local function is_group_gone(reply)
  return is_error(reply) and string.find(reply.err, 'NOGROUP', 1, true) ~= nil
end

-- An entry that came back to another group is not for this one.
local function is_foreign(flat)
  for i = 3, #flat, 2 do
    if flat[i] == 'group' then return flat[i + 1] ~= group end
  end
  return false
end

local function keep_own(entries, fresh)
  local foreign = {}
  for _, entry in ipairs(entries) do
    if is_foreign(entry[2]) then foreign[#foreign + 1] = entry[1] else fresh[#fresh + 1] = entry end
  end
  if #foreign > 0 then redis.call('XACK', STREAM, group, unpack(foreign)) end
  return #foreign
end

-- Answers 1 where the group had to be made again.
local function read_new(limit, fresh)
  local healed = 0
  for _ = 1, MAX_ROUNDS do
    local wanted = limit - #fresh
    if wanted < 1 then return healed end
    local read = { 'XREADGROUP', 'GROUP', group, consumer, 'COUNT', wanted, 'STREAMS', STREAM, '>' }
    local reply = redis.pcall(unpack(read))
    if is_group_gone(reply) then
      heal_group()
      healed = 1
      reply = redis.call(unpack(read))
    elseif is_error(reply) then
      redis.call(unpack(read)) -- fails again, as the call's own error
    end
    if not reply or keep_own(reply[1][2], fresh) == 0 then
      return healed
    end
  end
  return healed
end

local function is_group_there()
  return not is_error(redis.pcall('XPENDING', STREAM, group))
end

-- The first of `count` fences. They outgrow the clock, so they grow also where the last one could
-- not be stored, since the memory is full, or was lost.
local function next_fences(count)
  local last = tonumber(redis.call('HGET', META, 'fence')) or 0
  local first = math.max(last + 1, now_us)
  redis.pcall('HSET', META, 'fence', number_text(first + count - 1))
  return first
end
