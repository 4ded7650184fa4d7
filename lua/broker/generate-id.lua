-- Makes an id without a message and raises the high-water mark to it.
local base = KEYS[1]
-- @include broker/space
-- @include broker/ids

if not SPACE.is_ready then return NOT_READY end
if not has_room(SPACE.last, 1) then return NO_ROOM end
local id = id_source(SPACE.last)()
redis.call('HSET', META, 'last', id)
return id
