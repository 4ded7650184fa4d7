-- Settling a held row, only under the claim's own fence; and holding the next ones.
local LOST, SETTLED = 0, 1

-- Where a row stands after each verb: a settle repeated under its own fence, since its reply was
-- lost, finds it there and succeeds again without a change.
local AFTER = {
  ack = { [ACKED] = true },
  fail = { [DEAD] = true },
  retry = { [WAITING] = true, [POSTPONED] = true },
  release = { [WAITING] = true, [POSTPONED] = true },
}

-- The sets that each verb may write, and those of a claim.
local WRITES = {
  ack = { 'reserved', 'claimed' },
  fail = { 'reserved', 'dead' },
  retry = { 'reserved', 'pending', 'postponed' },
  release = { 'reserved', 'pending', 'postponed' },
  claim = { 'reserved', 'pending' },
}

-- Whether all of them are of their types; one look a set, however many outcomes there are.
local function can_write(queue, verbs)
  local is_known = {}
  for verb in pairs(verbs) do
    for _, part in ipairs(WRITES[verb]) do
      if not is_known[part] and not can_take_rows(queue, part) then return false end
      is_known[part] = true
    end
  end
  return true
end

-- Nobody holds it any more, but nobody gets it before it is due.
local function postpone(queue, id, due)
  redis.call('ZREM', key_of(queue, 'leases'), id) -- a full server refuses a first write that adds
  move_row(queue, 'reserved', 'postponed', id)
  redis.call('ZADD', key_of(queue, 'leases'), due, id)
end

local function put_back(queue, id, run, outcome)
  if outcome.verb == 'release' then run.attempts = math.max(0, run.attempts - 1) end
  if outcome.verb == 'retry' then run.reason = outcome.reason end
  if outcome.delay_ms > 0 then
    run.state = POSTPONED
    postpone(queue, id, now + outcome.delay_ms)
  else
    run.state = WAITING
    give_back(queue, 'reserved', id)
  end
  write_run(id, run)
  publish(queue) -- also for a postponed one: a loop that waits sleeps until its due time
end

local function settle(queue, id, outcome)
  local run = read_run(id)
  if not run or run.fence ~= outcome.fence then return LOST end
  if run.state ~= HELD then return AFTER[outcome.verb][run.state] and SETTLED or LOST end
  if outcome.verb == 'fail' then
    run.reason = outcome.reason
    dead_letter(queue, id, run, outcome.keep)
  elseif outcome.verb == 'ack' then
    redis.call('ZREM', key_of(queue, 'leases'), id)
    move_row(queue, 'reserved', 'claimed', id)
    run.state = ACKED
    write_run(id, run)
  else
    put_back(queue, id, run, outcome)
  end
  return SETTLED
end

-- Fences outgrow the clock, so they still grow after a loss of data.
local function hold(queue, terms)
  local found = find_rows(queue, { 'pending' }, bounds_of('', '', '', 'oldest'), terms.limit)
  local first = math.max((tonumber(SPACE.fence) or 0) + 1, now_us)
  local leases, runs, taken = {}, {}, {}
  for i, id in ipairs(found.ids) do
    local run = read_run(id)
    local attempt = run and run.attempts + 1 or 1
    local fence = string.format('%.0f', first + i - 1)
    leases[#leases + 1], leases[#leases + 2] = terms.lease_end, id
    runs[#runs + 1] = id
    runs[#runs + 1] = HELD .. fence .. '|' .. attempt .. '|' .. terms.attempts .. '|' .. (run and run.reason or '')
    taken[#taken + 1], taken[#taken + 2], taken[#taken + 3] = id, found.bodies[i], attempt
  end
  take_pending(queue, found) -- first, since a full server refuses a script whose first write adds
  if #found.ids > 0 then
    redis.call('HSET', META, 'fence', string.format('%.0f', first + #found.ids - 1))
    add_rows(key_of(queue, 'reserved'), found.ids)
    redis.call('ZADD', key_of(queue, 'leases'), unpack(leases))
    redis.call('HSET', RUNS, unpack(runs))
  end
  if #found.strays > 0 then deregister_if_empty(queue) end
  return string.format('%.0f', first), taken
end
