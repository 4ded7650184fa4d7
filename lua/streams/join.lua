-- Makes the group where it is missing, from '0' (all that is there) or '$' (what comes from now on).
local base = KEYS[1]
local group, from = ARGV[1], ARGV[2]
-- @include clock
-- @include streams/places
local reply = redis.pcall('XGROUP', 'CREATE', STREAM, group, from, 'MKSTREAM')
if is_error(reply) and not string.find(reply.err, 'BUSYGROUP', 1, true) then return reply end
return is_error(reply) and 0 or 1
