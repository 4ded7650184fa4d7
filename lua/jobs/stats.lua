-- Counts of every status, jobs done in the last 24 hours, age of the oldest waiting job, paused flag.
local base = KEYS[1]
-- @include clock
-- @include jobs/places
-- @include jobs/minutes
-- @include jobs/pending-page
local MAX_BANDS = 64

-- In a band of equal priority the first one waits longest: one look a band, 64 at the most a type.
local function oldest_of(name)
  local oldest, from = now, '-inf'
  for _ = 1, MAX_BANDS do
    local first = redis.call('ZRANGEBYSCORE', pending_key(name), from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if not first[2] then break end
    local state, data = read_state(first[1]), redis.call('HGET', DATA, first[1])
    local since = state and state[SINCE] or data and parse_data(data).enqueued_at or now
    oldest = math.min(oldest, since)
    from = (math.floor(first[2] / BAND) + 1) * BAND
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
