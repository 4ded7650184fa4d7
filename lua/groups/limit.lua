-- Limits how many messages of a group may begin within a time, or with group '' of every group
-- that has no limit of its own; max 0 takes the limit away. A group that waits for its limit is
-- looked at anew; for the limit of every group `unpark` does that, page by page.
local base = KEYS[1]
local group, max, duration_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]
-- @include clock
-- @include groups/state
-- @include groups/rate
local rule = max .. ' ' .. duration_ms
if group == '' then
  if max > 0 then redis.call('HSET', META, 'limit', rule) else redis.call('HDEL', META, 'limit') end
else
  if max > 0 then redis.call('HSET', base .. LIMITS, group, rule) else redis.call('HDEL', base .. LIMITS, group) end
  if is_parked(group) and look_anew(group, redis.call('ZSCORE', PARKED, group)) then ring_bell() end
end
local any = redis.call('EXISTS', base .. LIMITS) == 1 or redis.call('HEXISTS', META, 'limit') == 1
if any then redis.call('HSET', META, 'limited', '1') else redis.call('HDEL', META, 'limited') end
return 1
