-- Dead letters: `dead` holds their ids by the time they died, `letters` what they are.
-- @include groups/frame
local DEAD, LETTERS = ':dead', ':letters' -- behind `base`, put together only where they are needed
local TRIM_LIMIT = 10

local function drop_letters(ids)
  if #ids == 0 then return end
  redis.call('ZREM', base .. DEAD, unpack(ids))
  redis.call('HDEL', base .. LETTERS, unpack(ids))
end

-- A few more than one a burial, so that a lowered limit is reached in bounded steps.
local function trim_letters(keep)
  local over = redis.call('ZCARD', base .. DEAD) - keep.count
  if over > 0 then drop_letters(redis.call('ZRANGE', base .. DEAD, 0, math.min(over, TRIM_LIMIT) - 1)) end
  if keep.age_ms == 0 then return end
  drop_letters(redis.call('ZRANGEBYSCORE', base .. DEAD, '-inf', now - keep.age_ms, 'LIMIT', 0, TRIM_LIMIT))
end

-- Moves the head of a group to the dead letters; what stands behind it goes on.
local function dead_letter_head(group, reason, keep)
  local frame = redis.call('LINDEX', QUEUE .. group, 0)
  if not frame then return end
  local attempts = tonumber(redis.call('HGET', TRIES, group)) or 0
  local id = id_of(frame) or 'damaged-' .. token_text(now_us)
  redis.call('LTRIM', QUEUE .. group, 1, -1)
  redis.call('HDEL', TRIES, group)
  backlog_change = backlog_change - 1
  redis.call('HSET', base .. LETTERS, id, cmsgpack.pack(group, tier_of(group), attempts, reason, frame))
  redis.call('ZADD', base .. DEAD, now, id)
  trim_letters(keep)
end

local function read_letter(id)
  local raw = redis.call('HGET', base .. LETTERS, id)
  if not raw then return nil end
  local group, tier, attempts, reason, frame = cmsgpack.unpack(raw)
  return { group = group, tier = tier, attempts = attempts, reason = reason, frame = frame }
end
