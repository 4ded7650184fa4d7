-- Pauses or resumes a group, or with group '' the whole topic. A paused group leaves its tier with
-- its score kept; whoever holds it goes on. Answers 1, or 0 when it was so already.
local base = KEYS[1]
local group, on = ARGV[1], ARGV[2] == '1'
-- @include clock
-- @include groups/state
if group == '' then
  local changed = on and redis.call('HSETNX', META, 'paused', '1') or redis.call('HDEL', META, 'paused')
  if not on then ring_bell() end
  return changed
end

local tier = redis.call('HGET', PRIO, group)
if on then
  local score = tier and redis.call('ZSCORE', READY .. tier, group) or ''
  if redis.call('HSETNX', PAUSED, group, score) == 0 then return 0 end
  if tier then redis.call('ZREM', READY .. tier, group) end
  return 1
end
local score = redis.call('HGET', PAUSED, group)
if not score then return 0 end
if tier then
  redis.call('ZADD', READY .. tier, score == '' and 0 or score, group)
  ring_bell()
end
redis.call('HDEL', PAUSED, group)
return 1
