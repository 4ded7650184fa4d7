-- Looks anew at one page of the groups that wait for a rate limit, after the limit of every group was
-- changed; those with a limit of their own are left. Answers the next cursor, '0' at the end.
local base = KEYS[1]
local cursor, page = ARGV[1], ARGV[2]
-- @include clock
-- @include groups/state
-- @include groups/rate
local reply = redis.call('ZSCAN', PARKED, cursor, 'COUNT', page)
local rows, is_woken = reply[2], false
for i = 1, #rows, 2 do
  if redis.call('HEXISTS', base .. LIMITS, rows[i]) == 0 and look_anew(rows[i], rows[i + 1]) then
    is_woken = true
  end
end
if is_woken then ring_bell() end
return reply[1]
