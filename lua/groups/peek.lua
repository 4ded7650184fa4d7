-- Messages of a group from `offset` on, its head first; nothing is claimed.
-- Answers tier (nil when the group is not live), attempts of the head, and the frames.
local base = KEYS[1]
local group, offset, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
-- @include clock
-- @include groups/state
local frames = redis.call('LRANGE', QUEUE .. group, offset, offset + limit - 1)
return { redis.call('HGET', PRIO, group), tonumber(redis.call('HGET', TRIES, group)) or 0, frames }
