-- Cancels a job that waits or runs; a running one's claim is void from here on.
-- Answers 'ok', 'missing', or the status that cannot be cancelled.
local base = KEYS[1]
local id = ARGV[1]
local keep_cancelled, keep_cancelled_ms = ARGV[2], ARGV[3]
-- @include clock
-- @include jobs/places
-- @include jobs/finish

local data = redis.call('HGET', DATA, id)
if not data then return 'missing' end
local job = parse_data(data)
local state = read_state(id)
local status = status_of(id, job, state)
if status == DONE or status == FAILED or status == CANCELLED then return status end
state = state or fresh_state(now)
if status == RUNNING then
  redis.call('ZREM', PLACE[RUNNING], id)
  revoke(id, state, 'cancelled')
else
  leave_waiting(id, job)
  free_key(id, job.key)
end
finish(id, state, CANCELLED, state[ERROR])
tell_if_on('cancelled', id)
trim(CANCELLED, retention_of(keep_cancelled, keep_cancelled_ms), 10)
return 'ok'
