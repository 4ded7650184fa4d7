-- Rows held by a handler or postponed by one. Their run is '<state><fence>|<attempts>|<limit>|<reason>':
-- h held, d postponed, w waiting again, x dead, c acked. Lease ends and due times stand in `leases`.
-- @include clock
-- @include broker/rows
local HELD, POSTPONED, WAITING, DEAD, ACKED = 'h', 'd', 'w', 'x', 'c'

local function read_run(id)
  local raw = redis.call('HGET', RUNS, id)
  if not raw then return nil end
  local state, fence, attempts, limit, reason = string.match(raw, '^([hdwxc])(%d+)|(%d+)|(%d+)|(.*)$')
  if not state then return nil end
  return {
    state = state, fence = fence, attempts = tonumber(attempts), limit = tonumber(limit), reason = reason,
  }
end

local function write_run(id, run)
  local head = run.state .. run.fence .. '|' .. run.attempts .. '|' .. run.limit
  redis.call('HSET', RUNS, id, head .. '|' .. run.reason)
end

local function move_row(queue, from, to, id)
  redis.call('ZADD', key_of(queue, to), 0, id)
  redis.call('ZREM', key_of(queue, from), id)
end

local function drop_dead_rows(queue, ids)
  if #ids == 0 then return 0 end
  take_rows(key_of(queue, 'dead'), ids)
  forget(ids)
  return #ids
end

local function dead_letter(queue, id, run, keep)
  redis.call('ZREM', key_of(queue, 'leases'), id)
  redis.call('ZADD', key_of(queue, 'dead'), now, id)
  redis.call('ZREM', key_of(queue, 'reserved'), id)
  run.state = DEAD
  write_run(id, run)
  local over = redis.call('ZCARD', key_of(queue, 'dead')) - keep
  if over > 0 then
    drop_dead_rows(queue, redis.call('ZRANGE', key_of(queue, 'dead'), 0, math.min(over, 10) - 1))
    deregister_if_empty(queue) -- it may be empty now where none are kept
  end
end

local function give_back(queue, from, id)
  redis.call('ZREM', key_of(queue, 'leases'), id)
  move_row(queue, from, 'pending', id)
end

local LAPSED = 'the lease ended without a word from its holder, and no attempt is left'

-- Whether a held row has used up its attempts, and is a dead letter once its lease is over.
local function is_spent(run)
  return run and run.state == HELD and run.attempts >= run.limit
end

-- Answers whether somebody held it.
local function recover_one(queue, id, keep)
  local run = read_run(id)
  local was_held = not run or run.state ~= POSTPONED
  if run and run.state == HELD then run.fence = '0' end -- the late holder's settle must not find its own
  if is_spent(run) then
    run.reason = LAPSED
    dead_letter(queue, id, run, keep)
    return true
  end
  give_back(queue, was_held and 'reserved' or 'postponed', id)
  if run then
    run.state = WAITING
    write_run(id, run)
  end
  return was_held
end

-- Gives back what is due and what silent holders held, nothing where a key is of another type, which
-- is the verb's to tell; answers how many, and how many of them were held.
local function recover_lapsed(queue, limit, keep)
  local leases = key_of(queue, 'leases')
  local lapsed = redis.call('ZRANGEBYSCORE', leases, '-inf', now, 'LIMIT', 0, limit)
  if #lapsed == 0 or not is_sound(queue) or not can_forget_messages() then return 0, 0 end
  local held = 0
  for _, id in ipairs(lapsed) do
    if recover_one(queue, id, keep) then held = held + 1 end
  end
  publish(queue)
  return #lapsed, held
end

-- Before a verb takes or looks: whether all that is due or lapsed was given back. What one call leaves
-- over a verb must not look past: it answers AGAIN then, and is called once more. Verbs that know no
-- retention keep what the upkeep will trim.
local AGAIN = false
local function has_recovered(queue)
  return recover_lapsed(queue, CHUNK, math.huge) < CHUNK
end

local function next_lapse_in(queue)
  local first = redis.call('ZRANGE', key_of(queue, 'leases'), 0, 0, 'WITHSCORES')
  return first[2] and math.max(0, first[2] - now) or -1
end

-- The same by a verb that is linear anyway, and only once nothing can refuse it any more.
local function recover_all(queue)
  repeat until recover_lapsed(queue, CHUNK, math.huge) < CHUNK
end

-- What `recover_all` would go through, without a change: each row that is due or lapsed.
local function each_lapsed(queue, use)
  local leases = key_of(queue, 'leases')
  local count = redis.call('ZCOUNT', leases, '-inf', now)
  for from = 0, count - 1, CHUNK do
    for _, id in ipairs(redis.call('ZRANGE', leases, from, math.min(from + CHUNK, count) - 1)) do
      use(id)
    end
  end
end

local function is_reserved(queue, id)
  return redis.call('ZSCORE', key_of(queue, 'reserved'), id) and true
end

-- Whether somebody may still settle a reserved row: it belongs to a batch, or its lease is not over.
local function is_held(queue, id)
  local lease = redis.call('ZSCORE', key_of(queue, 'leases'), id)
  return not lease or tonumber(lease) > now
end

-- Whether any reserved row below the bound ('' for none) is held.
local function has_held(queue, before)
  local count = redis.call('ZLEXCOUNT', key_of(queue, 'reserved'), '-', before == '' and '+' or '(' .. before)
  if count == 0 then return false end
  each_lapsed(queue, function(id)
    if (before == '' or id < before) and is_reserved(queue, id) then count = count - 1 end
  end)
  return count > 0
end
