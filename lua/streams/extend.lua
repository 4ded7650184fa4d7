-- Prolongs leases: the idle time begins anew. The arguments after the named ones are pairs
-- (id, token). Answers a code per pair: 1 prolonged, 0 lease lost.
local base = KEYS[1]
local group, consumer = ARGV[1], ARGV[2]
-- @include clock
-- @include streams/places
-- @include streams/hold
local codes = {}
for i = 3, #ARGV, 2 do
  local code = 0
  if is_held(ARGV[i], ARGV[i + 1]) then
    -- Redis 7 answers nothing for an entry that was deleted meanwhile, and it is pending no more
    code = #redis.call('XCLAIM', STREAM, group, consumer, 0, ARGV[i], 'JUSTID')
  end
  codes[#codes + 1] = code
end
return codes
