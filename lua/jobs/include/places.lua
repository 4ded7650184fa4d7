-- Where a job stands: in one of the sets below, and in no other.
-- @include bell
-- @include jobs/record
local META = base .. ':meta'
local TYPES = base .. ':types'
local PLACE = {
  [SCHEDULED] = base .. ':scheduled',
  [RUNNING] = base .. ':running',
  [DONE] = base .. ':done',
  [FAILED] = base .. ':failed',
  [CANCELLED] = base .. ':cancelled',
}
local HOLDERS = base .. ':holders'
local REVOKED = base .. ':revoked'

local BAND = 2199023255552 -- 2^41 arrival numbers a priority
local MAX_PRIORITY = 2048 -- so that a score stays an exact integer in a double

local function pending_key(name)
  return base .. ':pending:' .. name
end

-- Lowest first: a higher priority, then an earlier arrival.
local function score_of(priority, seq)
  return seq - math.max(-MAX_PRIORITY, math.min(MAX_PRIORITY, priority)) * BAND
end

-- Due times tie; the arrival number in front of the id keeps the order of adding.
local function scheduled_member(seq, id)
  return string.format('%016.0f', seq) .. id
end

local function ring_type(name)
  ring(base .. ':signal', base .. ':signal:' .. name)
end

local function put_pending(id, job)
  local score = score_of(job.priority, job.seq)
  redis.call('ZADD', pending_key(job.type), score, id)
  redis.call('ZADD', TYPES, 'LT', score, job.type)
end

-- The index of types holds, for each type with pending jobs, a score no higher than its head's.
local function refresh_head(name)
  local head = redis.call('ZRANGE', pending_key(name), 0, 0, 'WITHSCORES')
  if head[2] then
    redis.call('ZADD', TYPES, head[2], name)
  else
    redis.call('ZREM', TYPES, name)
  end
  return tonumber(head[2])
end

-- Earliest due first: a loop sleeps until that time, so a new earliest one must wake it. One that
-- is not the earliest still wakes a loop of its own type, to which an earlier one of another type
-- did not ring: it may know of no due time at all.
local function put_scheduled(id, job, due)
  local member = scheduled_member(job.seq, id)
  redis.call('ZADD', PLACE[SCHEDULED], due, member)
  if redis.call('ZRANGE', PLACE[SCHEDULED], 0, 0)[1] == member then
    ring_type(job.type)
  else
    ring_one(base .. ':signal:' .. job.type)
  end
end

-- The one way back to pending or scheduled: after a retry, a release, a recovery, a promotion.
-- The arrival number and the priority are those of the enqueue, so a job keeps its place.
local function re_enter(id, job, state, due)
  state[SINCE] = now
  if due and due > now then
    state[STATUS] = SCHEDULED
    put_scheduled(id, job, due)
  else
    state[STATUS] = PENDING
    put_pending(id, job)
    ring_type(job.type)
  end
  write_state(id, state)
end

local function leave_waiting(id, job)
  if redis.call('ZREM', pending_key(job.type), id) == 1 then
    refresh_head(job.type)
    return PENDING
  end
  if redis.call('ZREM', PLACE[SCHEDULED], scheduled_member(job.seq, id)) == 1 then return SCHEDULED end
  return nil
end

-- Only the job that holds a coalescing key frees it.
local function free_key(id, key)
  if key ~= '' and redis.call('HGET', HOLDERS, key) == id then redis.call('HDEL', HOLDERS, key) end
end

-- Where a job without a state stands: it is waiting, in one of two sets.
local function status_of(id, job, state)
  if state then return state[STATUS] end
  if redis.call('ZSCORE', PLACE[SCHEDULED], scheduled_member(job.seq, id)) then return SCHEDULED end
  return PENDING
end

-- Tells the holder, wherever it runs, that its claim is void: upkeep reads this.
local function revoke(id, state, reason)
  redis.call('ZADD', REVOKED, now, reason .. ' ' .. string.format('%.0f', state[FENCE]) .. ' ' .. id)
end

local function tell(event, id)
  redis.call('XADD', base .. ':events', 'MAXLEN', '~', 10000, '*', 'event', event, 'id', id)
end

-- What the queue's meta hash says at the start of the call: the switches and the last fence.
local function read_meta()
  local values = redis.call('HMGET', META, 'paused', 'events', 'fence')
  return { paused = values[1], events = values[2], fence = values[3] }
end

local META_NOW = read_meta()

local function tell_if_on(event, id)
  if META_NOW.events then tell(event, id) end
end
