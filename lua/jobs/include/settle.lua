-- Settling: only under the claim's own fence and while the job runs.
local MINUTE_MS = 60000
local LOST, SETTLED, VOIDED = 0, 1, -1

-- Where a job stands after each verb: a settle that its caller makes again, under its own fence, finds
-- it there and succeeds again without a change. Recovery voids the fence.
local AFTER = {
  ack = { [DONE] = true },
  fail = { [FAILED] = true },
  retry = { [PENDING] = true, [SCHEDULED] = true },
  release = { [PENDING] = true, [SCHEDULED] = true },
}

-- The code of a settle, and whether it still has to be carried out.
local function judge(state, fence, verb)
  if not state or state[FENCE] ~= fence then return LOST, false end
  if state[STATUS] == RUNNING then return SETTLED, true end
  if state[STATUS] == CANCELLED then return VOIDED, false end
  return AFTER[verb][state[STATUS]] and SETTLED or LOST, false
end

local function store_done(ids, places, states, results)
  redis.call('ZREM', PLACE[RUNNING], unpack(ids))
  redis.call('ZADD', PLACE[DONE], unpack(places))
  redis.call('HSET', STATE, unpack(states))
  if #results > 0 then redis.call('HSET', RESULT, unpack(results)) end
  redis.call('HINCRBY', base .. ':minutes', string.format('%.0f', math.floor(now / MINUTE_MS)), #ids)
end

-- When a job ended is its score among the done ones, so its state only changes the first letter.
local function ack_all(codes, from, count, keep_done)
  local asked = {}
  for i = 1, count do
    asked[i] = ARGV[from + i * 3 - 3]
  end
  local records = redis.call('HMGET', STATE, unpack(asked))
  local ids, places, states, results, ended = {}, {}, {}, {}, {}
  for i, id in ipairs(asked) do
    local raw, fence, result = ended[id] or records[i], ARGV[from + i * 3 - 2], ARGV[from + i * 3 - 1]
    local running = RUNNING .. fence .. '|'
    if raw and string.sub(raw, 1, #running) == running then
      local n = #ids
      ended[id] = DONE .. string.sub(raw, 2)
      ids[n + 1] = id
      places[n * 2 + 1], places[n * 2 + 2] = now, id
      states[n * 2 + 1], states[n * 2 + 2] = id, ended[id]
      if result ~= '' then
        results[#results + 1] = id
        results[#results + 1] = result
      end
      codes[#codes + 1] = SETTLED
      tell_if_on('done', id)
    else
      codes[#codes + 1] = (judge(decode_state(raw), tonumber(fence), 'ack'))
    end
  end
  if #ids == 0 then return end
  store_done(ids, places, states, results)
  trim_lazily(DONE, { count = keep_done }, #ids + SLACK * 2)
end

-- A run that did not end well: retry (after a delay), fail, or release (the attempt is not spent).
local function end_run(id, fence, run)
  local state = read_state(id)
  local code, due = judge(state, tonumber(fence), run.verb)
  if not due then return code end
  redis.call('ZREM', PLACE[RUNNING], id)
  if run.verb == 'fail' then
    fail(id, state, run.reason, run.keep_failed)
    return code
  end
  local data = redis.call('HGET', DATA, id)
  if not data then
    redis.call('HDEL', STATE, id)
    return code
  end
  if run.verb == 'release' then
    state[ATTEMPTS] = math.max(0, state[ATTEMPTS] - 1)
    tell_if_on('released', id)
  end
  if run.verb == 'retry' then
    state[ERROR] = run.reason
    tell_if_on('retry', id)
  end
  re_enter(id, parse_data(data), state, now + run.delay_ms)
  return code
end
