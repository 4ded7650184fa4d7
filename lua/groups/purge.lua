-- Deletes all messages of a group; a lease on it is void. Answers how many there were.
local base = KEYS[1]
local group = ARGV[1]
-- @include clock
-- @include groups/state
local count = redis.call('LLEN', QUEUE .. group)
redis.call('UNLINK', QUEUE .. group, LOCK .. group)
forget(group, tier_of(group))
backlog_change = backlog_change - count
write_backlog()
return count
