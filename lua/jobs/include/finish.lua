-- Ends of a job, and how long a finished one stays.
local function retention_of(count, age_ms)
  return { count = tonumber(count), age_ms = tonumber(age_ms) }
end

local function drop_oldest(status, ids)
  if #ids == 0 then return 0 end
  redis.call('ZREM', PLACE[status], unpack(ids))
  forget(ids)
  return #ids
end

-- Where many are kept, a settle trims only once this many are too many; upkeep trims exactly.
local SLACK = 64

local function trim_lazily(status, keep, limit)
  local slack = keep.count >= SLACK * 10 and SLACK or 0
  local over = redis.call('ZCARD', PLACE[status]) - keep.count
  if over > slack then drop_oldest(status, redis.call('ZRANGE', PLACE[status], 0, math.min(over, limit) - 1)) end
end

-- At most `limit` a call, so that a lowered count cannot hold the server.
local function trim(status, keep, limit)
  local place = PLACE[status]
  local over = redis.call('ZCARD', place) - keep.count
  if over > 0 then return drop_oldest(status, redis.call('ZRANGE', place, 0, math.min(over, limit) - 1)) end
  if keep.age_ms == 0 then return 0 end
  return drop_oldest(status, redis.call('ZRANGEBYSCORE', place, '-inf', now - keep.age_ms, 'LIMIT', 0, limit))
end

local function finish(id, state, status, reason)
  state[STATUS], state[SINCE], state[ERROR] = status, now, reason
  write_state(id, state)
  redis.call('ZADD', PLACE[status], now, id)
end

local NOT_PARSED = 'the record of this job is damaged: it does not parse'

local function fail(id, state, reason, keep)
  finish(id, state, FAILED, reason)
  tell_if_on('failed', id)
  trim(FAILED, keep, 10)
end
