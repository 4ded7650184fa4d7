-- A page of the registry: the next cursor, then (queue, pending, postponed, reserved, claimed,
-- dead) a queue.
local base = KEYS[1]
local cursor = ARGV[1]
-- @include broker/space
-- @include broker/counts

local page = redis.call('SSCAN', QUEUES, cursor, 'COUNT', 200)
local rows = {}
for _, queue in ipairs(page[2]) do
  rows[#rows + 1] = queue
  append_counts(rows, queue)
end
return { page[1], rows }
