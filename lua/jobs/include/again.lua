-- A settle call that is sent again, since its reply was lost.

-- Their leases begin anew, unless they were prolonged beyond. A job that was cancelled or recovered
-- meanwhile comes without its data.
local function taken_again(fence, ids)
  if #ids == 0 then return {} end
  local records = redis.call('HMGET', DATA, unpack(ids))
  local states = redis.call('HMGET', STATE, unpack(ids))
  local taken = {}
  for i, id in ipairs(ids) do
    local state = decode_state(states[i])
    local is_held = state and state[STATUS] == RUNNING and state[FENCE] == fence + i - 1
    if is_held then redis.call('ZADD', PLACE[RUNNING], 'GT', now + lease_ms, id) end
    local n = #taken
    taken[n + 1], taken[n + 2], taken[n + 3] = id, is_held and records[i] or false, state and state[ATTEMPTS] or 0
  end
  return taken
end

-- What is due next was not kept, so the caller is to look again at once.
local function answer_again(codes, fence, ids)
  return { codes, string.format('%.0f', fence), taken_again(fence, ids), 0 }
end
