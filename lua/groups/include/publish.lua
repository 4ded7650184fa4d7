-- The first message of a group: it gets its tier, for as long as it is live, and becomes claimable.
local function admit(group, tier, score)
  local stale = redis.call('HGET', PRIO, group)
  if stale then forget(group, stale) end
  redis.call('HSET', PRIO, group, tier)
  place(group, tier, score)
end

-- Appends a message: group, tier, frame. A group that is live already keeps its tier and its place: leased or parked, it
-- must not become claimable. Answers an error table where the group's key is not a list.
local function append(message, score)
  local length = redis.pcall('RPUSH', QUEUE .. message.group, message.frame)
  if type(length) == 'table' then return length end
  backlog_change = backlog_change + 1
  if length == 1 then admit(message.group, message.tier, score) end
  return length
end
