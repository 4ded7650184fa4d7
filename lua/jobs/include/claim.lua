-- Takes the next jobs of the wanted types (all when none is named) and puts them under lease.
-- A type costs one look at its head, so jobs of other types cost nothing, however many wait.
-- @include jobs/promote
local PROMOTE_LIMIT = 100
local MAX_LOOKS = 1000 -- a claim ends even where index entries without a record pile up

-- The wanted types that have work: name -> score of the head.
local function wanted_heads(types)
  if #types == 0 then return nil end
  local heads = {}
  local scores = redis.call('ZMSCORE', TYPES, unpack(types))
  for i, name in ipairs(types) do
    if scores[i] then heads[name] = tonumber(scores[i]) end
  end
  return heads
end

-- The type whose head comes first, and the score of the runner-up: up to there it is served alone.
local function first_two(heads)
  if not heads then
    local pair = redis.call('ZRANGE', TYPES, 0, 1, 'WITHSCORES')
    return pair[1], pair[4]
  end
  local first, runner_up
  for name, score in pairs(heads) do
    if not first or score < heads[first] then
      first, runner_up = name, first and heads[first]
    elseif not runner_up or score < runner_up then
      runner_up = score
    end
  end
  return first, runner_up
end

-- For one job ZPOPMIN is a call less; for many, ZRANGE and ZREM are 17 % faster.
local function take_ids(name, runner_up, count)
  local pending = pending_key(name)
  local ids
  if runner_up then
    ids = redis.call('ZRANGEBYSCORE', pending, '-inf', runner_up, 'LIMIT', 0, count)
  elseif count == 1 then
    return { redis.call('ZPOPMIN', pending)[1] }
  else
    ids = redis.call('ZRANGE', pending, 0, count - 1)
  end
  if #ids > 0 then redis.call('ZREM', pending, unpack(ids)) end
  return ids
end

-- Reserves `count` fences. They outgrow the clock, so they still grow after a loss of data.
local function next_fences(count)
  local first = math.max((tonumber(META_NOW.fence) or 0) + 1, now_us)
  redis.call('HSET', META, 'fence', first + count - 1)
  return first
end

-- The state of a job under lease. Most have never run before, and share all but the fence.
local function leased_state(old, limit, terms)
  local attempt = old and old[ATTEMPTS] + 1 or 1
  local rest = '|' .. attempt .. '|' .. (old and old[RECOVERIES] or 0) .. '|' .. limit .. terms.times
  return RUNNING .. string.format('%.0f', terms.fence) .. rest, attempt
end

-- Appends id, data, attempt of every live job to `taken`; an id without a record, or whose record
-- says that the job is not pending, is dropped.
local function lease(ids, taken, terms)
  local records = redis.call('HMGET', DATA, unpack(ids))
  local states = redis.call('HMGET', STATE, unpack(ids))
  local held, written = {}, {}
  for i, id in ipairs(ids) do
    local data, old = records[i], states[i] and decode_state(states[i])
    if data and (not old or old[STATUS] == PENDING) then
      local limit, key = string.match(data, '^%d+ %d+ %-?%d+ (%d+) [^\n]*\n([^\n]*)\n')
      if limit == '0' or not limit then limit = terms.attempts end
      if key and key ~= '' then free_key(id, key) end
      local at, n = #held, #taken
      held[at + 1], held[at + 2] = terms.lease_end, id
      taken[n + 1], taken[n + 2] = id, data
      written[at + 1] = id
      written[at + 2], taken[n + 3] = leased_state(old, limit, terms)
      terms.fence = terms.fence + 1
      tell_if_on('active', id)
    end
  end
  if #held > 0 then
    redis.call('ZADD', PLACE[RUNNING], unpack(held))
    redis.call('HSET', STATE, unpack(written))
  end
end

-- A loop may have taken the token of any type that it wants, and wakes nobody else by taking a job
-- of another one: so each wanted type that is left behind rings.
local function ring_left(heads, first)
  if not heads then
    if first then ring_type(first) end
    return
  end
  for name in pairs(heads) do
    ring_type(name)
  end
end

-- Answers the first fence and the taken jobs in claim order; their fences follow one another.
-- A score in TYPES may lie below its head after a claim took the head away: taking goes by the
-- jobs' own scores, so a stale one costs a second look and never the order.
local function claim(wanted)
  promote(PROMOTE_LIMIT, wanted.keep_failed) -- when paused, too: a due time that stays would make waiting loops spin
  if META_NOW.paused then return 0, {} end
  local heads = wanted_heads(wanted.types)
  local name, runner_up = first_two(heads)
  local taken, fence, looks = {}, 0, 0
  if name and wanted.limit > 0 then
    fence = next_fences(wanted.limit)
    local terms = {
      fence = fence, lease_end = now + wanted.lease_ms, attempts = wanted.attempts,
      times = '|' .. now .. '|' .. now .. '|',
    }
    while name and #taken / 3 < wanted.limit and looks < MAX_LOOKS do
      looks = looks + 1
      local count = wanted.limit - #taken / 3
      local ids = take_ids(name, runner_up, count)
      if #ids > 0 then lease(ids, taken, terms) end
      if #ids < count or redis.call('EXISTS', pending_key(name)) == 0 then
        local head = refresh_head(name)
        if heads then heads[name] = head end
        name, runner_up = first_two(heads)
      end
    end
  end
  ring_left(heads, name)
  return fence, taken
end
