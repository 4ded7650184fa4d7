-- Removes an alias; messages stay where they are. Answers whether there was one.
local base = KEYS[1]
local alias = ARGV[1]
-- @include broker/space

if not SPACE.is_ready then return NOT_READY end
if not can_change_aliases() then return WRONG_ALIASES end
local removed = redis.call('HDEL', ALIASES, alias)
redis.call('HINCRBY', META, 'aliases', 1)
return removed
