-- Acks that end their leases, by far the most common settles: read and written together, since a
-- call from a script costs a microsecond. Whatever is out of the ordinary is left to `settle`.
-- @include groups/scores

local function forget_all(drained)
  for tier, names in pairs(drained) do
    redis.call('ZREM', READY .. tier, unpack(names))
    redis.call('HDEL', PRIO, unpack(names))
    for _, group in ipairs(names) do
      if is_paused(group) then redis.call('HSET', PAUSED, group, '') end
    end
  end
end

-- Makes groups claimable again, or forgets those that have drained; answers whether any is claimable.
local function free_all(names, queue_keys)
  local tiers = redis.call('HMGET', PRIO, unpack(names))
  local are_all_live = redis.call('EXISTS', unpack(queue_keys)) == #names
  local scores, drained, is_any_live = {}, {}, false
  for i, group in ipairs(names) do
    local tier = tiers[i] or '0'
    if not are_all_live and redis.call('EXISTS', queue_keys[i]) == 0 then
      drained[tier] = drained[tier] or {}
      table.insert(drained[tier], group)
    else
      is_any_live = true
      if is_paused(group) then place(group, tier, now) else add_score(scores, tier, now, group) end
    end
  end
  write_scores(scores)
  forget_all(drained)
  return is_any_live
end

local function locks_of(from, count)
  local keys = {}
  for i = 1, count do
    keys[i] = LOCK .. ARGV[from + i * 3 - 3]
  end
  return redis.call('MGET', unpack(keys))
end

local function ends_lease(group, lock, token, run)
  if not lock or lock.token ~= token or run.done ~= lock.size then return false end
  return is_next(lock, run, run.done - 1, false) and not is_parked(group)
end

-- Settles those of `count` acks, (group, token, done) each, that end a lease; answers their codes, by
-- place, and whether a group is claimable again. Of two acks of one group only the first can be one.
local function end_leases(from, count, exact)
  local ended, is_seen, names, queue_keys, lock_keys = {}, {}, {}, {}, {}
  local locks = count > 0 and locks_of(from, count) or {}
  for i = 1, count do
    local at = from + i * 3 - 3
    local group, lock = ARGV[at], parse_lock(locks[i])
    local run = { done = tonumber(ARGV[at + 2]), exact = exact }
    if not is_seen[group] and ends_lease(group, lock, ARGV[at + 1], run) then
      ended[i] = lock.is_cut and CUT or SETTLED
      names[#names + 1] = group
      queue_keys[#names] = QUEUE .. group
      lock_keys[#names] = LOCK .. group
      pop(group, lock, run.done)
      freed[#freed + 1] = lock.token .. ':' .. lock.done
    end
    is_seen[group] = true
  end
  if #names == 0 then return ended, false end
  redis.call('DEL', unpack(lock_keys))
  redis.call('HDEL', TRIES, unpack(names))
  return ended, free_all(names, queue_keys)
end
