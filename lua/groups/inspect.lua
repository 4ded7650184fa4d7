-- One group: tier (nil when it is not live), depth, attempts of its head, how many of its messages
-- are held under a lease, whether it is parked, whether it is paused, and milliseconds until it is
-- claimable (0: now; -1: not before it is resumed).
local base = KEYS[1]
local group = ARGV[1]
-- @include clock
-- @include groups/state
local tier = redis.call('HGET', PRIO, group)
local paused, parked = is_paused(group), is_parked(group)
local lock = read_lock(group)
local held = lock and not parked and lock.size - lock.done or 0
local score = tier and redis.call('ZSCORE', READY .. tier, group)
return {
  tier, redis.call('LLEN', QUEUE .. group), tonumber(redis.call('HGET', TRIES, group)) or 0, held,
  parked and 1 or 0, paused and 1 or 0, score and math.max(0, score - now) or -1,
}
