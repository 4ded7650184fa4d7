-- Where a group stands. It is live while its list holds a message; then it has a tier in `prio` and
-- a place in that tier's ready set, scored by when it is next claimable. Whatever is leased, parked
-- or limited stays in the ready set, in the future: nothing has to be swept back.
-- @include bell
local META = base .. ':meta'
local PRIO = base .. ':prio'
local TRIES = base .. ':tries' -- group -> attempts of its head, the present one too
local PARKED = base .. ':parked' -- groups that wait for a retry, a delay or their rate limit, by due time
local PAUSED = base .. ':paused' -- paused group -> the score it has in its tier once resumed, '' while not live
local TOP_TIER = 4

-- Prefixes of keys, made once a call: a text made of three parts costs a third of a microsecond.
local QUEUE = base .. ':q:' -- messages of a group, its head first
local LOCK = base .. ':lock:' -- token of who holds a group, for as long as the lease lasts
local READY = base .. ':ready:' -- groups of a tier, by when each is claimable next

local function tier_of(group)
  return redis.call('HGET', PRIO, group) or '0'
end

-- A token is a fence written as text.
local function token_text(fence)
  return string.format('%.0f', fence)
end

-- Whether any group is paused or waits for a time of its own: most topics have none, most of the time.
local any_paused, any_parked
local function look_for_rarities()
  local any = redis.call('EXISTS', PAUSED, PARKED) > 0
  any_paused = any and redis.call('EXISTS', PAUSED) == 1
  any_parked = any and redis.call('EXISTS', PARKED) == 1
end

local function is_paused(group)
  if any_paused == nil then look_for_rarities() end
  return any_paused and redis.call('HEXISTS', PAUSED, group) == 1
end

local function has_parked()
  if any_parked == nil then look_for_rarities() end
  return any_parked
end

local function is_parked(group)
  return has_parked() and redis.call('ZSCORE', PARKED, group) and true or false
end

local function mark_parked(group, due)
  redis.call('ZADD', PARKED, due, group)
  any_parked = true
end

-- The one way to say when a group is claimable next.
local function place(group, tier, score)
  if is_paused(group) then
    redis.call('HSET', PAUSED, group, score)
  else
    redis.call('ZADD', READY .. tier, score, group)
  end
end

-- The group has no message any more: its tier and its attempts are not remembered, its pause is.
local function forget(group, tier)
  redis.call('ZREM', READY .. tier, group)
  redis.call('HDEL', PRIO, group)
  redis.call('HDEL', TRIES, group)
  if has_parked() then redis.call('ZREM', PARKED, group) end
  if is_paused(group) then redis.call('HSET', PAUSED, group, '') end
end

-- The lock's value is the token; for a batch also how many of its messages are done and how many
-- it took: '<token> <done> <size>', with ' cut' behind where it took more, which it has lost.
local function parse_lock(raw)
  if not raw then return nil end
  local token, done, size, cut = string.match(raw, '^(%d+) (%d+) (%d+)(.*)$')
  return { token = token or raw, done = tonumber(done) or 0, size = tonumber(size) or 1, is_cut = cut == ' cut' }
end

local function read_lock(group)
  return parse_lock(redis.call('GET', LOCK .. group))
end

local function lock_value(lock)
  if lock.size == 1 and not lock.is_cut then return lock.token end
  return lock.token .. ' ' .. lock.done .. ' ' .. lock.size .. (lock.is_cut and ' cut' or '')
end

local function ring_bell()
  ring_one(base .. ':signal')
end

local function is_rung()
  return redis.call('EXISTS', base .. ':signal') == 1
end

-- How many messages the topic holds; changes are summed up and written once a call.
local backlog_change = 0
local function write_backlog()
  if backlog_change ~= 0 then redis.call('HINCRBY', META, 'backlog', backlog_change) end
end
