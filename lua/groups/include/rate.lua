-- At most `max` messages of a group begin within `ms`. A rule is '<max> <ms>', a group's own or the
-- topic's; what was used expires by itself, so that it outlives a group that drains meanwhile.
local LIMITS = ':limits' -- behind `base`

local function rate_key(group)
  return base .. ':rate:' .. group
end

local function rule_of(group, default_rule)
  local rule = redis.call('HGET', base .. LIMITS, group) or default_rule
  if not rule then return nil end
  local max, ms = string.match(rule, '^(%d+) (%d+)$')
  return { max = tonumber(max), ms = tonumber(ms) }
end

-- How many messages may begin now, and when the next may; nil without a rule.
local function allowance(group, default_rule)
  local rule = rule_of(group, default_rule)
  if not rule then return nil end
  local left = rule.max - (tonumber(redis.call('GET', rate_key(group))) or 0)
  local free_in = left > 0 and 0 or math.max(1, redis.call('PTTL', rate_key(group)) + 1)
  return { left = left, free_in = free_in, ms = rule.ms }
end

-- A group that waits for its limit, and not for a retry, is claimable again: the claim decides anew.
-- One whose time has come keeps its place.
local function look_anew(group, due)
  if tonumber(due) <= now or redis.call('EXISTS', LOCK .. group) == 1 then return false end
  redis.call('ZREM', PARKED, group)
  place(group, tier_of(group), now)
  return true
end

local function use(group, count, rule_ms)
  local used = redis.call('INCRBY', rate_key(group), count)
  if used == count then redis.call('PEXPIRE', rate_key(group), rule_ms) end
end
