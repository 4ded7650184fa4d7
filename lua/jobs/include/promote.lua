-- Moves due jobs to pending, each at the place its priority and arrival give it. A due entry whose
-- record is elsewhere is dropped; a record that does not parse has no type that a loop could ask
-- for, so it ends here.
local function promote_one(id, data, keep_failed)
  local job, state = parse_data(data), read_state(id)
  if state and state[STATUS] ~= SCHEDULED then return end
  if job.type == '' then
    fail(id, state or fresh_state(now), NOT_PARSED, keep_failed)
  else
    tell_if_on('waiting', id)
    re_enter(id, job, state or fresh_state(now))
  end
end

local function promote(limit, keep_failed)
  local due = redis.call('ZRANGEBYSCORE', PLACE[SCHEDULED], '-inf', now, 'LIMIT', 0, limit)
  for _, member in ipairs(due) do
    redis.call('ZREM', PLACE[SCHEDULED], member)
    local id = string.sub(member, 17)
    local data = redis.call('HGET', DATA, id)
    if data then promote_one(id, data, keep_failed) end
  end
  return #due
end

-- Milliseconds until the earliest scheduled job is due; -1 when none is.
local function next_due_in()
  local head = redis.call('ZRANGE', PLACE[SCHEDULED], 0, 0, 'WITHSCORES')
  return head[2] and math.max(0, head[2] - now) or -1
end
