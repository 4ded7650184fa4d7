-- How many messages one queue has: queue, pending, reserved, claimed, dead, and whether it exists.
local base = KEYS[1]
local name = ARGV[1]
-- @include broker/space

local queue = resolve(name)
if not queue then return unknown_alias(name) end
local row = { queue }
for _, part in ipairs({ 'pending', 'reserved', 'claimed', 'dead' }) do
  row[#row + 1] = redis.call('ZCARD', key_of(queue, part))
end
row[#row + 1] = redis.call('SISMEMBER', QUEUES, queue)
return row
