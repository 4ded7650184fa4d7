-- Prolongs leases, (id, fence) each. Answers 1 or, where the lease is lost, 0 each.
local base = KEYS[1]
local queue, lease_ms = ARGV[1], tonumber(ARGV[2])
-- @include broker/space
-- @include broker/holds

local codes = {}
for i = 3, #ARGV, 2 do
  local run = read_run(ARGV[i])
  local is_held = run and run.state == HELD and run.fence == ARGV[i + 1]
  if is_held then redis.call('ZADD', key_of(queue, 'leases'), now + lease_ms, ARGV[i]) end
  codes[#codes + 1] = is_held and 1 or 0
end
return codes
