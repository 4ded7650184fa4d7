-- Prolongs leases, (id, fence) each. Answers 1 or, where the lease is lost, 0 each.
local base = KEYS[1]
local queue, lease_ms = ARGV[1], tonumber(ARGV[2])
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return NOT_READY end
local leases, codes = key_of(queue, 'leases'), {}
for i = 3, #ARGV, 2 do
  local run = read_run(ARGV[i])
  local is_own = run and run.state == HELD and run.fence == ARGV[i + 1]
  if is_own then
    redis.call('ZREM', leases, ARGV[i]) -- a full server refuses a first write that adds
    redis.call('ZADD', leases, now + lease_ms, ARGV[i])
  end
  codes[#codes + 1] = is_own and 1 or 0
end
return codes
