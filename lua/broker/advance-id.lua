-- Raises the high-water mark to an id, never lowers it. Answers what it is then.
local base = KEYS[1]
local id = ARGV[1]
-- @include broker/space

if not SPACE.is_ready then return NOT_READY end
if id <= SPACE.last then return SPACE.last end -- 19 digits each: the order of texts is that of numbers
redis.call('HSET', META, 'last', id)
return id
