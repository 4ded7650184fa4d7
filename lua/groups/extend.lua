-- Prolongs leases; the arguments after the named one are pairs (group, token).
-- Answers a code per pair: 1 prolonged, 0 lease lost or group parked.
local base = KEYS[1]
local lease_ms = tonumber(ARGV[1])
-- @include clock
-- @include groups/state
local codes = {}
for i = 2, #ARGV, 2 do
  local group = ARGV[i]
  local lock = read_lock(group)
  local is_held = lock and lock.token == ARGV[i + 1] and not redis.call('ZSCORE', PARKED, group)
  if is_held then
    redis.call('PEXPIRE', LOCK .. group, lease_ms)
    place(group, tier_of(group), now + lease_ms + 1)
  end
  codes[#codes + 1] = is_held and 1 or 0
end
return codes
