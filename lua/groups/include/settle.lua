-- Settling: only under the token that the group's lock holds. `done` says how many messages of the
-- lease went well, this one included for an ack. A loop runs the messages of a lease one after the
-- other, so its settle speaks for those before it too, should theirs be late or lost. A settle by
-- hand (`exact`) speaks for its own message alone, which must be the next one of the lease.
-- @include groups/letters
local LOST, SETTLED, CUT = 0, 1, 2 -- cut: settled, and the rest of the batch is not the holder's any more
local HISTORY_MS = 600000
local REMEMBERED_CALLS = 64 -- of one holder

-- What this holder freed lately, so that an ack which its caller makes again succeeds again: one entry
-- a call and not one a message, in a ring of the holder's own last calls.
local freed, history = {}, nil
local function history_key(holder)
  return base .. ':settled:' .. holder
end

local function write_history(holder, call)
  if #freed == 0 then return end
  local slot = call % REMEMBERED_CALLS
  local is_new = redis.call('HSET', history_key(holder), slot, ' ' .. table.concat(freed, ' ') .. ' ') == 1
  if is_new or slot == 0 then redis.call('PEXPIRE', history_key(holder), HISTORY_MS) end
end

local function was_acked(holder, token, done)
  history = history or table.concat(redis.call('HVALS', history_key(holder)))
  local before = string.match(' ' .. table.concat(freed, ' ') .. ' ' .. history, ' ' .. token .. ':(%d+) ')
  return before and tonumber(before) >= done
end

-- Takes the messages that went well off the head; answers whether there were any.
local function pop(group, lock, done)
  local count = done - lock.done
  if count <= 0 then return false end
  if count == 1 then redis.call('LPOP', QUEUE .. group) else redis.call('LTRIM', QUEUE .. group, count, -1) end
  backlog_change = backlog_change - count
  lock.done = done
  return true
end

-- Frees the group: claimable at `score`, or forgotten when it has drained.
local function free(group, lock, score)
  redis.call('DEL', LOCK .. group)
  freed[#freed + 1] = lock.token .. ':' .. lock.done
  local tier = tier_of(group)
  if redis.call('EXISTS', QUEUE .. group) == 1 then
    place(group, tier, score)
    return true
  end
  forget(group, tier)
  return false
end

-- The batch goes on: its lease begins anew with the first attempt of the message that begins now.
local function renew(group, lock, lease_ms)
  redis.call('HSET', TRIES, group, 1)
  redis.call('SET', LOCK .. group, lock_value(lock), 'PX', lease_ms)
  place(group, tier_of(group), now + lease_ms + 1)
end

-- The lock stays, under the same token, until the group is due.
local function park(group, lock, delay_ms)
  local value = lock_value(lock)
  redis.call('SET', LOCK .. group, value, 'PX', math.max(1, delay_ms - 1))
  place(group, tier_of(group), now + delay_ms)
  mark_parked(group, now + delay_ms)
end

-- Whether a settle that names the message at `place` of its lease may take effect. What is parked is
-- the next message alone: those behind it were given back.
local function is_next(lock, run, place, parked)
  if place >= lock.size then return false end
  return place == lock.done or place > lock.done and not run.exact and not parked
end

local function ack(group, lock, run)
  local parked = is_parked(group)
  -- one that speaks for messages before it, too, speaks for those that were left to the lease
  if lock.is_cut and not run.exact then run.done = math.min(run.done, lock.size) end
  if run.done <= lock.done then -- acked before; what may be left is to give back the rest
    if run.verb ~= 'last' or parked then return SETTLED end
  elseif not is_next(lock, run, run.done - 1, parked) then
    return LOST
  end
  local frees = run.verb == 'last' or run.done >= lock.size or parked
  pop(group, lock, run.done)
  if not frees then
    renew(group, lock, run.lease_ms)
    return SETTLED
  end
  if has_parked() then redis.call('ZREM', PARKED, group) end
  redis.call('HDEL', TRIES, group)
  run.woken = free(group, lock, now)
  return lock.is_cut and CUT or SETTLED
end

local function give_back(group, lock, run)
  local tries = tonumber(redis.call('HGET', TRIES, group)) or 0
  if run.verb == 'release' then redis.call('HSET', TRIES, group, math.max(0, tries - 1)) end
  run.parked = run.delay_ms > 0
  if run.parked then return park(group, lock, run.delay_ms) end
  run.woken = true
  -- a failure comes ahead of the groups that were served just now (the seed's rule), a release behind
  free(group, lock, run.verb == 'retry' and 0 or now)
end

-- A run that did not go well. The first write frees memory, so that a full server lets it through.
local function end_run(group, lock, run)
  if is_parked(group) or not is_next(lock, run, run.done, false) then return LOST end
  redis.call('ZREM', PARKED, group)
  if pop(group, lock, run.done) then redis.call('HSET', TRIES, group, 1) end
  local tries = tonumber(redis.call('HGET', TRIES, group)) or 0
  if run.verb == 'fail' or run.verb == 'retry' and run.attempts > 0 and tries >= run.attempts then
    dead_letter_head(group, run.reason, run.keep)
    run.woken = free(group, lock, now)
  else
    give_back(group, lock, run)
  end
  return SETTLED
end

-- `run`: verb, done, exact, lease_ms, delay_ms, reason, attempts, keep, holder. `woken` is set when the group
-- is claimable again, `parked` when it will be.
local function settle(group, token, run)
  local lock = read_lock(group)
  local is_ack = run.verb == 'ack' or run.verb == 'last'
  if not lock or lock.token ~= token then
    return is_ack and was_acked(run.holder, token, run.done) and SETTLED or LOST
  end
  if is_ack then return ack(group, lock, run) end
  return end_run(group, lock, run)
end
