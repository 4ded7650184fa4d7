-- The topic in numbers: groups a tier, messages, groups claimable now, leased, parked, paused, dead
-- letters, age of the oldest message among the heads that come next, whether the topic is paused.
local base = KEYS[1]
-- @include clock
-- @include groups/state
-- @include groups/letters
local HEADS, PAUSED_PAGE = 10, 1000

local function count(key, min, max)
  return redis.call('ZCOUNT', key, min, max)
end

-- The heads of the groups that were served longest ago: a bounded look, not a walk.
local function oldest_since(tier)
  local oldest = now
  for _, group in ipairs(redis.call('ZRANGEBYSCORE', READY .. tier, '-inf', now, 'LIMIT', 0, HEADS)) do
    local frame = redis.call('LINDEX', QUEUE .. group, 0)
    oldest = math.min(oldest, frame and time_of(frame) or now)
  end
  return oldest
end

-- Paused groups stand in no tier; what they hold is counted by a look at each, up to a limit.
local function held_while_paused()
  local parked, leased = 0, 0
  local page = redis.call('HSCAN', PAUSED, 0, 'COUNT', PAUSED_PAGE)[2]
  for i = 1, #page, 2 do
    if (tonumber(redis.call('ZSCORE', PARKED, page[i]) or 0)) > now then
      parked = parked + 1
    else
      leased = leased + redis.call('EXISTS', LOCK .. page[i])
    end
  end
  return parked, leased
end

local tiers, due, later, oldest = {}, 0, 0, now
for tier = 0, TOP_TIER do
  tiers[tier + 1] = redis.call('ZCARD', READY .. tier)
  due = due + count(READY .. tier, '-inf', now)
  later = later + count(READY .. tier, '(' .. now, '+inf')
  oldest = math.min(oldest, oldest_since(tier))
end
local meta = redis.call('HMGET', META, 'backlog', 'paused')
local parked = count(PARKED, '(' .. now, '+inf')
local paused_parked, paused_leased = held_while_paused()
local leased = math.max(0, later - (parked - paused_parked)) + paused_leased
return {
  tiers, tonumber(meta[1]) or 0, due, leased, parked, redis.call('HLEN', PAUSED),
  redis.call('ZCARD', base .. DEAD), now - oldest, meta[2] and 1 or 0,
}
