-- Removes a consumer that has nothing pending; with pending entries its name stays, since to
-- delete it would lose them. Answers whether the name is gone.
local base = KEYS[1]
local group, consumer = ARGV[1], ARGV[2]
-- @include clock
-- @include streams/places
local pending = redis.pcall('XPENDING', STREAM, group, '-', '+', 1, consumer)
if is_error(pending) then return 1 end
if #pending > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', STREAM, group, consumer)
return 1
