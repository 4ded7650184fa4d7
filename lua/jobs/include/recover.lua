-- Jobs whose holder is gone go back to their place, or to the failed ones when that
-- happened too often: a job that kills its process must not do so for ever.
local function doom_of(state, job, max_recoveries)
  if job.type == '' then return NOT_PARSED end
  if state[LIMIT] > 0 and state[ATTEMPTS] >= state[LIMIT] then
    return 'the lease ended without a word from its holder, and no attempt is left'
  end
  if state[RECOVERIES] > max_recoveries then
    return 'the lease ended without a word from its holder more than maxRecoveries (' .. max_recoveries .. ') times'
  end
  return nil
end

local function recover(id, limits)
  redis.call('ZREM', PLACE[RUNNING], id)
  local state, data = read_state(id), redis.call('HGET', DATA, id)
  if not data or state and state[STATUS] ~= RUNNING then return 0 end
  if not state then
    fail(id, fresh_state(now), 'the state of this job is damaged: how often it ran is not known', limits.keep_failed)
    return 1
  end
  revoke(id, state, 'lost')
  state[RECOVERIES] = state[RECOVERIES] + 1
  local job = parse_data(data)
  local doom = doom_of(state, job, limits.max_recoveries)
  state[FENCE] = -state[FENCE] -- the late holder's settle must not find its own fence
  if doom then
    fail(id, state, doom, limits.keep_failed)
  else
    state[STARTED] = 0
    tell_if_on('recovered', id)
    re_enter(id, job, state)
  end
  return 1
end

local function recover_lapsed(limit, limits)
  local lapsed = redis.call('ZRANGEBYSCORE', PLACE[RUNNING], '-inf', now, 'LIMIT', 0, limit)
  local count = 0
  for _, id in ipairs(lapsed) do
    count = count + recover(id, limits)
  end
  return count, #lapsed
end
