-- Recovers one page of running jobs: those whose lease is over, or, with older_than_ms, those that
-- started that long before the first page, lease or not: a job that was claimed anew meanwhile is
-- none of them. `skip` is how many younger ones earlier pages left in place.
-- Answers how many were recovered, the next skip (-1 at the end), and `before` for the next page.
local base = KEYS[1]
local older_than_ms, skip, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local max_recoveries, keep_failed, keep_failed_ms = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local before = tonumber(ARGV[7])
-- @include clock
-- @include jobs/places
-- @include jobs/finish
-- @include jobs/recover

local limits = { max_recoveries = max_recoveries, keep_failed = retention_of(keep_failed, keep_failed_ms) }
if older_than_ms == '' then
  local count, seen = recover_lapsed(limit, limits)
  return { count, seen < limit and -1 or 0, 0 }
end
if before == 0 then before = now - tonumber(older_than_ms) end
local ids = redis.call('ZRANGE', PLACE[RUNNING], skip, skip + limit - 1)
local count, left = 0, 0
for _, id in ipairs(ids) do
  local state = read_state(id)
  if state and state[STATUS] == RUNNING and state[STARTED] > before then
    left = left + 1
  else
    count = count + recover(id, limits)
  end
end
return { count, #ids < limit and -1 or skip + left, before }
