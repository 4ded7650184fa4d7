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

-- The first ids of several sets of a queue in one order, and which set each is in.
local function merged_ids(queue, parts, wanted, limit)
  local ids, part_of = {}, {}
  for _, part in ipairs(parts) do
    for _, id in ipairs(ids_in(key_of(queue, part), wanted, limit)) do
      ids[#ids + 1], part_of[id] = id, part
    end
  end
  if #parts > 1 then table.sort(ids, wanted.newest and newer_first or nil) end
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
    for i = 1, math.min(#ids, limit - #found.ids) do
      local id, body = ids[i], redis.call('HGET', BODIES, ids[i])
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

-- What the caller gets: id, body, and where asked for the first letter of the set.
local function as_reply(found, with_part)
  local flat = {}
  for i, id in ipairs(found.ids) do
    flat[#flat + 1] = id
    flat[#flat + 1] = found.bodies[i]
    if with_part then flat[#flat + 1] = string.sub(found.part_of[id], 1, 1) end
  end
  return flat
end

local function of_part(found, part)
  local ids = {}
  for _, list in ipairs({ found.ids, found.strays }) do
    for _, id in ipairs(list) do
      if found.part_of[id] == part then ids[#ids + 1] = id end
    end
  end
  return ids
end
