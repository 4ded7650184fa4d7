-- New groups come ahead of all that were served before: their score is below 1, and by it they come
-- in the order of their arrival. A power of two keeps every microsecond exact; messages of one call
-- are told apart by their number, since each takes longer than a microsecond to write.
local arrivals = 0
local function next_arrival()
  arrivals = arrivals + 1
  return (now_us + arrivals) / 9007199254740992
end

-- The first message of a group: it gets its tier, for as long as it is live, and becomes claimable.
local function admit(group, tier, score)
  local stale = redis.call('HGET', PRIO, group)
  if stale then forget(group, stale) end
  redis.call('HSET', PRIO, group, tier)
  place(group, tier, score)
end

-- Appends a message: group, tier, frame. A group that is live already keeps its tier and its place:
-- leased or parked, it must not become claimable. Answers an error table where the group's key is
-- not a list.
local function append(message, new_groups_first)
  local length = redis.pcall('RPUSH', QUEUE .. message.group, message.frame)
  if type(length) == 'table' then return length end
  backlog_change = backlog_change + 1
  if length == 1 then admit(message.group, message.tier, new_groups_first and next_arrival() or now) end
  return length
end
