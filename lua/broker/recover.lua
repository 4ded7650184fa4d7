-- Gives back what is due or lapsed in a page of the queues, `limit` rows at most. Answers the
-- cursor of the next page (this one where something is left), whether that is all, and how many of
-- the rows were held.
local base = KEYS[1]
local cursor, limit = ARGV[1], tonumber(ARGV[2])
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return { '0', 1, 0 } end
local page = redis.call('SSCAN', QUEUES, cursor, 'COUNT', 200)
local left, held = limit, 0
for _, queue in ipairs(page[2]) do
  if can_take_rows(queue, 'leases') then
    local recovered, were_held = recover_lapsed(queue, left, math.huge)
    left, held = left - recovered, held + were_held
    if left == 0 then return { cursor, 0, held } end
  end
end
return { page[1], page[1] == '0' and 1 or 0, held }
