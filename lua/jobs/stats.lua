-- Counts of every status, jobs done in the last 24 hours, age of the oldest waiting job, paused flag.
local base = KEYS[1]
-- @include clock
-- @include jobs/places
-- @include jobs/minutes
-- @include jobs/pending-page
local MAX_BANDS, LOOKS = 64, 10
local budget = 2000

-- Where the next lower priority begins; arrival numbers start at 1.
local function next_band(score)
  return (math.floor(score / BAND) + 1) * BAND
end

local function waiting_since(id)
  local state, data = read_state(id), redis.call('HGET', DATA, id)
  return state and state[SINCE] or data and parse_data(data).enqueued_at or now
end

-- In a band of equal priority the first ones wait longest, but one that was given back waits anew:
-- the first ten of a band are looked at, and 64 bands a type at the most, as far as the budget goes.
local function oldest_of(name)
  local oldest, from = now, '-inf'
  for _ = 1, MAX_BANDS do
    if budget <= 0 then break end
    budget = budget - LOOKS
    local first = redis.call('ZRANGEBYSCORE', pending_key(name), from, '+inf', 'WITHSCORES', 'LIMIT', 0, LOOKS)
    if not first[2] then break end
    from = next_band(first[2])
    for i = 1, #first, 2 do
      if tonumber(first[i + 1]) < from then oldest = math.min(oldest, waiting_since(first[i])) end
    end
  end
  return oldest
end

local names, oldest = redis.call('ZRANGE', TYPES, 0, -1), now
for _, name in ipairs(names) do
  oldest = math.min(oldest, oldest_of(name))
end
local counts = { pending_total(names) }
for i, status in ipairs({ SCHEDULED, RUNNING, FAILED, CANCELLED, DONE }) do
  counts[i + 1] = redis.call('ZCARD', PLACE[status])
end
return { counts, done_in_a_day(), now - oldest, redis.call('HEXISTS', META, 'paused') }
