-- One job as a flat reply: id, data, result, status, finished, attempts, recoveries, started, fence,
-- error, due. The client decodes it; nothing here looks into the payload.
local function show(id)
  local data = redis.call('HGET', DATA, id)
  if not data then return nil end
  local job, state = parse_data(data), read_state(id)
  local status = status_of(id, job, state)
  local due = status == SCHEDULED and redis.call('ZSCORE', PLACE[SCHEDULED], scheduled_member(job.seq, id))
  local finished = (status == DONE or status == FAILED or status == CANCELLED) and redis.call('ZSCORE', PLACE[status], id)
  state = state or fresh_state(0)
  return {
    id, data, redis.call('HGET', RESULT, id), status, finished and tonumber(finished) or 0, state[ATTEMPTS], state[RECOVERIES],
    state[STARTED], string.format('%.0f', math.abs(state[FENCE])), state[ERROR], due,
  }
end

local function show_all(ids)
  local shown = {}
  for _, id in ipairs(ids) do
    shown[#shown + 1] = show(id)
  end
  return shown
end
