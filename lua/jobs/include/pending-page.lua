-- A page of all pending jobs in claim order, over the sets of all types, without walking what
-- comes before it: bisects for the score at which the page begins and the one at which it ends.
local LOWEST, HIGHEST = -BAND * MAX_PRIORITY, BAND * (MAX_PRIORITY + 1)

local function count_up_to(names, score)
  local count = 0
  for _, name in ipairs(names) do
    count = count + redis.call('ZCOUNT', pending_key(name), '-inf', score)
  end
  return count
end

-- The lowest score up to which at least `rank` jobs stand (scores are whole and distinct).
local function score_at(names, rank)
  local low, high = LOWEST, HIGHEST
  while low < high do
    local middle = math.floor((low + high) / 2)
    if count_up_to(names, middle) >= rank then high = middle else low = middle + 1 end
  end
  return low
end

local function ids_between(names, low, high)
  local found = {}
  for _, name in ipairs(names) do
    local rows = redis.call('ZRANGEBYSCORE', pending_key(name), low, high, 'WITHSCORES')
    for i = 1, #rows, 2 do
      found[#found + 1] = { id = rows[i], score = tonumber(rows[i + 1]) }
    end
  end
  table.sort(found, function(a, b) return a.score < b.score end)
  local ids = {}
  for i, row in ipairs(found) do
    ids[i] = row.id
  end
  return ids
end

local function pending_total(names)
  local total = 0
  for _, name in ipairs(names) do
    total = total + redis.call('ZCARD', pending_key(name))
  end
  return total
end

local function pending_page(names, offset, limit)
  local total = pending_total(names)
  if offset >= total or limit == 0 then return total, {} end
  if #names == 1 then
    return total, redis.call('ZRANGE', pending_key(names[1]), offset, offset + limit - 1)
  end
  local first = score_at(names, offset + 1)
  return total, ids_between(names, first, score_at(names, math.min(total, offset + limit)))
end

local function score_of_last(names, ids)
  for _, name in ipairs(#ids > 0 and names or {}) do
    local score = redis.call('ZSCORE', pending_key(name), ids[#ids])
    if score then return score end
  end
  return ''
end
