-- Ends a group that nobody reads for any more: what it held back is trimmed from then on.
-- Answers whether there was one.
local base = KEYS[1]
local group = ARGV[1]
-- @include clock
-- @include streams/places
local reply = redis.pcall('XGROUP', 'DESTROY', STREAM, group)
redis.call('DEL', releases_key(group), group_bell(group))
redis.call('HDEL', META, 'lost:' .. encoded(group))
return is_error(reply) and 0 or reply
