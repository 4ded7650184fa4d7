-- Prolongs leases; the arguments after the named one are pairs (id, fence).
-- Answers a code per pair: 1 prolonged, 0 lease lost, -1 cancelled.
local base = KEYS[1]
local lease_ms = tonumber(ARGV[1])
-- @include clock
-- @include jobs/places
local codes = {}
for i = 2, #ARGV, 2 do
  local id = ARGV[i]
  local state = read_state(id)
  local own = state and state[FENCE] == tonumber(ARGV[i + 1])
  local code = own and (state[STATUS] == RUNNING and 1 or state[STATUS] == CANCELLED and -1) or 0
  if code == 1 then redis.call('ZADD', PLACE[RUNNING], now + lease_ms, id) end
  codes[#codes + 1] = code
end
return codes
