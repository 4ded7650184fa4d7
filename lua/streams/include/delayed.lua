-- Messages that are not due yet: a member each, made unique by its id, scored by its due time.
local function put_delayed(message, due)
  local frame = cmsgpack.pack({
    message.id, message.since, message.attempt, message.group, message.headers, message.body,
  })
  local reply = redis.pcall('ZADD', DELAYED, due, frame)
  if is_error(reply) then return reply end
  -- consumers sleep until the earliest, so a new earliest one must wake them
  if redis.call('ZRANGE', DELAYED, 0, 0)[1] == frame then ring_one(base .. ':signal') end
  return message.id
end

local function unpack_frame(frame)
  local ok, parts = pcall(cmsgpack.unpack, frame)
  if not ok or type(parts) ~= 'table' or type(parts[6]) ~= 'string' then
    -- written by somebody else: it goes on as a body, and whoever gets it says what is wrong
    return { id = '', since = 0, attempt = 0, group = '', headers = '', body = frame }
  end
  return {
    id = tostring(parts[1]), since = tonumber(parts[2]) or 0, attempt = tonumber(parts[3]) or 0,
    group = tostring(parts[4]), headers = tostring(parts[5]), body = parts[6],
  }
end

-- Moves what is due to the back of the stream; one script, so any number of movers is safe.
local function promote(limit)
  local due = redis.call('ZRANGEBYSCORE', DELAYED, '-inf', now, 'LIMIT', 0, limit)
  for i, frame in ipairs(due) do
    if is_error(add_entry(unpack_frame(frame))) then return i - 1 end
    redis.call('ZREM', DELAYED, frame)
  end
  return #due
end

-- Milliseconds until the earliest is due; -1 when none is known.
local function next_due_in()
  local head = redis.call('ZRANGE', DELAYED, 0, 0, 'WITHSCORES')
  return head[2] and math.max(0, head[2] - now) or -1
end
