-- Sets or clears a switch of the queue: 'paused' (claims take nothing) or 'events' (state changes
-- are written to the capped event stream). Resuming wakes the loops of every type with work.
local base = KEYS[1]
local switch, on = ARGV[1], ARGV[2]
-- @include clock
-- @include jobs/places
if on == '1' then return redis.call('HSET', META, switch, '1') end
local changed = redis.call('HDEL', META, switch)
if switch == 'paused' then
  for _, name in ipairs(redis.call('ZRANGE', TYPES, 0, -1)) do
    ring_type(name)
  end
end
return changed
