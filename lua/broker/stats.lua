-- How many messages one queue has: queue, pending, postponed, reserved, claimed, dead, and whether
-- it exists.
local base = KEYS[1]
local name = ARGV[1]
-- @include broker/space
-- @include broker/counts

local queue = resolve(name)
if not queue then return unknown_alias(name) end
local row = { queue }
append_counts(row, queue)
row[#row + 1] = redis.call('SISMEMBER', QUEUES, queue)
return row
