-- The oldest unread rows of a queue, which stand in several places: pending ones, postponed ones,
-- and reserved ones that nobody holds any more, though nobody has given them back yet.
-- @include broker/holds

-- The first rank for which `is_past` holds, by halving.
local function first_rank(size, is_past)
  local low, high = 0, size
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_past(middle) then high = middle else low = middle + 1 end
  end
  return low
end

local function rows_of_set(key)
  return {
    size = redis.call('ZCARD', key),
    range = function(from, to) return redis.call('ZRANGE', key, from, to) end,
    before = function(id) return redis.call('ZLEXCOUNT', key, '-', '(' .. id) end,
  }
end

local function rows_of_list(ids)
  table.sort(ids)
  return {
    size = #ids,
    range = function(from, to) return { unpack(ids, from + 1, math.min(to + 1, #ids)) } end,
    before = function(id) return first_rank(#ids, function(rank) return ids[rank + 1] >= id end) end,
  }
end

local function all_before(places, id)
  local count = 0
  for _, place in ipairs(places) do
    count = count + place.before(id)
  end
  return count
end

-- How many of the `count` oldest rows stand in each of these places.
local function share_oldest(places, count)
  local shares, left = {}, count
  for i = #places, 2, -1 do
    local place = places[i]
    shares[i] = first_rank(place.size, function(rank)
      return all_before(places, place.range(rank, rank)[1]) >= count
    end)
    left = left - shares[i]
  end
  shares[1] = left
  return shares
end

-- Among the reserved rows those that are lapsed and would wait again, how many would be dead
-- letters instead, and the oldest that is held (nil for none).
local function look_at_reserved(queue)
  local waiting, is_lapsed, spent = {}, {}, 0
  if redis.call('EXISTS', key_of(queue, 'reserved')) == 0 then return waiting, spent, nil end
  each_lapsed(queue, function(id)
    if not is_reserved(queue, id) then return end
    is_lapsed[id] = true
    if is_spent(read_run(id)) then spent = spent + 1 else waiting[#waiting + 1] = id end
  end)
  local rows = rows_of_set(key_of(queue, 'reserved'))
  for from = 0, rows.size - 1, CHUNK do
    for _, id in ipairs(rows.range(from, from + CHUNK - 1)) do
      if not is_lapsed[id] then return waiting, spent, id end
    end
  end
  return waiting, spent, nil
end
