-- Reads messages for good: they become claimed rows, which stay until a vacuum.
-- Answers the queue, then (id, body) a message.
local base = KEYS[1]
local name, exact, after, before = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local order, limit = ARGV[5], tonumber(ARGV[6])
-- @include broker/space
-- @include broker/holds
-- @include broker/select

if not SPACE.is_ready then return NOT_READY end
local queue = resolve(name)
if not queue then return unknown_alias(name) end
if not has_recovered(queue) then return AGAIN end
if not can_take_rows(queue, 'claimed') then return wrong_type(queue) end
local found = find_rows(queue, { 'pending' }, bounds_of(exact, after, before, order), limit)
if #found.strays > 0 and not can_forget_messages() then return WRONG_NAMESPACE end
take_pending(queue, found) -- first, since a full server refuses a script whose first write adds
add_rows(key_of(queue, 'claimed'), found.ids)
if #found.strays > 0 then deregister_if_empty(queue) end
return { queue, as_reply(found) }
