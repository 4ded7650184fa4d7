-- Finds rows by id: one exact id, or those strictly between two bounds ('' for none).
-- @include broker/rows
local MAX_BYTES, MAX_WINDOWS = 16 * 1024 * 1024, 16

local function bounds_of(exact, after, before, order)
  return { exact = exact, after = after, before = before, newest = order == 'newest' }
end

local function ids_in(key, wanted, limit)
  if wanted.exact ~= '' then
    return redis.call('ZSCORE', key, wanted.exact) and { wanted.exact } or {}
  end
  local low = wanted.after == '' and '-' or '(' .. wanted.after
  local high = wanted.before == '' and '+' or '(' .. wanted.before
  if wanted.newest then return redis.call('ZREVRANGEBYLEX', key, high, low, 'LIMIT', 0, limit) end
  return redis.call('ZRANGEBYLEX', key, low, high, 'LIMIT', 0, limit)
end

local function newer_first(one, other)
  return one > other
end

-- The first ids of several sets of a queue in one order, at most `limit` in all, and which set each
-- is in.
local function merged_ids(queue, parts, wanted, limit)
  local ids, part_of = {}, {}
  for _, part in ipairs(parts) do
    for _, id in ipairs(ids_in(key_of(queue, part), wanted, limit)) do
      ids[#ids + 1], part_of[id] = id, part
    end
  end
  if #parts > 1 then table.sort(ids, wanted.newest and newer_first or nil) end
  for i = #ids, limit + 1, -1 do
    ids[i] = nil -- a window that goes on behind one of these would pass over the ids before it
  end
  return ids, part_of
end

local function past(wanted, id)
  if wanted.newest then return { exact = '', after = wanted.after, before = id, newest = true } end
  return { exact = '', after = id, before = wanted.before }
end

-- Rows with their bodies, at most `limit` and about 16 MiB; ids without a body are only counted
-- among the strays, so that they hold up nobody behind them.
local function find_rows(queue, parts, wanted, limit)
  local found = { ids = {}, bodies = {}, part_of = {}, strays = {} }
  local bytes, windows = 0, wanted.exact == '' and 0 or MAX_WINDOWS
  repeat
    windows = windows + 1
    local ids, part_of = merged_ids(queue, parts, wanted, limit - #found.ids)
    for _, id in ipairs(ids) do
      local body = redis.call('HGET', BODIES, id)
      found.part_of[id] = part_of[id]
      if body then
        found.ids[#found.ids + 1], found.bodies[#found.bodies + 1] = id, body
        bytes = bytes + #body
        if bytes > MAX_BYTES then return found end
      else
        found.strays[#found.strays + 1] = id
      end
    end
    if #ids > 0 then wanted = past(wanted, ids[#ids]) end
  until #found.ids >= limit or #found.strays == 0 or #ids == 0 or windows >= MAX_WINDOWS
  return found
end

-- What the caller gets: id, body, and where asked for the set.
local function as_reply(found, with_part)
  local flat = {}
  for i, id in ipairs(found.ids) do
    flat[#flat + 1] = id
    flat[#flat + 1] = found.bodies[i]
    if with_part then flat[#flat + 1] = found.part_of[id] end
  end
  return flat
end

-- Those of the ids that stand in one of the sets: of the rows found, or of the strays.
local function of_part(found, ids, part)
  local own = {}
  for _, id in ipairs(ids) do
    if found.part_of[id] == part then own[#own + 1] = id end
  end
  return own
end

-- Takes out of the pending rows what was found there, and the strays, which nothing else removes.
local function take_pending(queue, found)
  take_rows(key_of(queue, 'pending'), found.ids)
  if #found.strays == 0 then return end
  take_rows(key_of(queue, 'pending'), found.strays)
  forget(found.strays)
end
