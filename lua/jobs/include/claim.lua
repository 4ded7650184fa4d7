-- Takes the next jobs of the wanted types (all when none is named) and puts them under lease.
-- A type costs one look at its head, so jobs of other types cost nothing, however many wait.
-- @include jobs/promote
local PROMOTE_LIMIT = 100
local MAX_LOOKS = 1000 -- a claim ends even where index entries without a record pile up

-- The wanted types that have work: name -> score of the head.
local function wanted_heads(types)
  local heads = {}
  if #types == 0 then return nil end
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

local function take_ids(name, runner_up, count)
  local pending = pending_key(name)
  local ids
  if runner_up then
    ids = redis.call('ZRANGEBYSCORE', pending, '-inf', runner_up, 'LIMIT', 0, count)
  else
    ids = redis.call('ZRANGE', pending, 0, count - 1)
  end
  if #ids > 0 then redis.call('ZREM', pending, unpack(ids)) end
  return ids
end

-- Reserves `count` fences. They outgrow the clock, so they still grow after a loss of data.
local function next_fences(last, count)
  local first = math.max((tonumber(last) or 0) + 1, now_us)
  redis.call('HSET', META, 'fence', first + count - 1)
  return first
end

-- Appends id, data, attempt of every live job to `taken`; an id without a record is dropped.
local function lease(ids, taken, terms)
  local records = redis.call('HMGET', DATA, unpack(ids))
  local states = redis.call('HMGET', STATE, unpack(ids))
  local held, written = {}, {}
  local keys_in_use = redis.call('EXISTS', HOLDERS) == 1
  for i, id in ipairs(ids) do
    local data = records[i]
    if data then
      local old = decode_state(states[i])
      local attempt = (old and old[ATTEMPTS] or 0) + 1
      local state = { RUNNING, now, attempt, old and old[RECOVERIES] or 0, now, terms.fence, terms.attempts, '' }
      local own_limit = string.match(data, '^%d+ %d+ %-?%d+ ([1-9]%d*) ')
      if own_limit then state[LIMIT] = tonumber(own_limit) end
      if keys_in_use then free_key(id, parse_data(data).key) end
      terms.fence = terms.fence + 1
      held[#held + 1] = terms.lease_end
      held[#held + 1] = id
      written[#written + 1] = id
      written[#written + 1] = cmsgpack.pack(state)
      taken[#taken + 1] = id
      taken[#taken + 1] = data
      taken[#taken + 1] = attempt
      tell_if_on('active', id)
    end
  end
  if #held > 0 then
    redis.call('ZADD', PLACE[RUNNING], unpack(held))
    redis.call('HSET', STATE, unpack(written))
  end
end

-- Answers the first fence and the taken jobs in claim order; their fences follow one another.
local function claim(wanted)
  local meta = redis.call('HMGET', META, 'paused', 'fence')
  if meta[1] then return 0, {} end
  promote(PROMOTE_LIMIT)
  local heads = wanted_heads(wanted.types)
  local taken, fence = {}, 0
  local name, runner_up = first_two(heads)
  if name and wanted.limit > 0 then
    fence = next_fences(meta[2], wanted.limit)
    local terms = { fence = fence, lease_end = now + wanted.lease_ms, attempts = wanted.attempts }
    local looks = 0
    while name and #taken / 3 < wanted.limit and looks < MAX_LOOKS do
      looks = looks + 1
      local ids = take_ids(name, runner_up, wanted.limit - #taken / 3)
      if #ids > 0 then lease(ids, taken, terms) end
      local head = refresh_head(name)
      if heads then heads[name] = head end
      name, runner_up = first_two(heads)
    end
  end
  if name then ring_type(name) end
  return fence, taken
end
