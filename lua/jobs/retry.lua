-- Puts a failed job back to pending, at its own place. Attempts stay, recoveries start anew.
-- Answers 'ok', 'missing', or the status that cannot be retried.
local base = KEYS[1]
local id = ARGV[1]
-- @include clock
-- @include jobs/places
local data = redis.call('HGET', DATA, id)
if not data then return 'missing' end
local job = parse_data(data)
local state = read_state(id)
local status = status_of(id, job, state)
if status ~= FAILED then return status end
redis.call('ZREM', PLACE[FAILED], id)
state[RECOVERIES], state[STARTED], state[ERROR] = 0, 0, ''
tell_if_on('retried', id)
re_enter(id, job, state)
return 'ok'
