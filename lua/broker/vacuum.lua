-- Deletes the oldest claimed messages of a queue, at most `limit`. Answers how many.
local base = KEYS[1]
local queue, limit = ARGV[1], tonumber(ARGV[2])
-- @include broker/space
-- @include broker/rows

if not SPACE.is_ready then return NOT_READY end
local claimed = key_of(queue, 'claimed')
local ids = redis.call('ZRANGE', claimed, 0, limit - 1)
if #ids == 0 then return 0 end
if not can_forget_messages() then return WRONG_NAMESPACE end
forget(ids)
take_rows(claimed, ids)
deregister_if_empty(queue)
return #ids
