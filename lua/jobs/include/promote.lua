-- Moves due jobs to pending, each at the place its priority and arrival give it.
local function promote(limit)
  local due = redis.call('ZRANGEBYSCORE', PLACE[SCHEDULED], '-inf', now, 'LIMIT', 0, limit)
  for _, member in ipairs(due) do
    redis.call('ZREM', PLACE[SCHEDULED], member)
    local id = string.sub(member, 17)
    local data = redis.call('HGET', DATA, id)
    if data then re_enter(id, parse_data(data), read_state(id) or fresh_state(now)) end
  end
  return #due
end

-- Milliseconds until the earliest scheduled job is due; -1 when none is.
local function next_due_in()
  local head = redis.call('ZRANGE', PLACE[SCHEDULED], 0, 0, 'WITHSCORES')
  return head[2] and math.max(0, head[2] - now) or -1
end
