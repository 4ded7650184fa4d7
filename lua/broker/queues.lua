-- A page of the registry: the next cursor, then (queue, pending, reserved, claimed, dead) a queue.
local base = KEYS[1]
local cursor = ARGV[1]
-- @include broker/keys

local page = redis.call('SSCAN', QUEUES, cursor, 'COUNT', 200)
local rows = {}
for _, queue in ipairs(page[2]) do
  rows[#rows + 1] = queue
  for _, part in ipairs({ 'pending', 'reserved', 'claimed', 'dead' }) do
    rows[#rows + 1] = redis.call('ZCARD', key_of(queue, part))
  end
end
return { page[1], rows }
