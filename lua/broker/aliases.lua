-- All aliases: (alias, target) each.
local base = KEYS[1]
-- @include broker/keys

return redis.call('HGETALL', ALIASES)
