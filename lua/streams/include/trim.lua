-- Trims what nobody needs any more, and what the user's own cap says.
--
-- An entry is needed until every group has been given it and has settled it. Ids are compared as
-- pairs of numbers of fixed length, since a sequence may be larger than a double holds.
local TRIM_LIMIT = 10000

local function comparable(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return string.format('%s%s%s%s', string.rep('0', 20 - #ms), ms, string.rep('0', 20 - #seq), seq)
end

local function before(one, other)
  return comparable(one) < comparable(other)
end

local function groups()
  local found = {}
  local rows = redis.pcall('XINFO', 'GROUPS', STREAM)
  if is_error(rows) then return found end
  for i, row in ipairs(rows) do
    found[i] = fields_of(row)
  end
  return found
end

-- The first entry that a group still needs; nil when that is the one to come.
local function first_needed(row)
  local pending = redis.call('XPENDING', STREAM, row.name, '-', '+', 1)[1]
  local unread = redis.call('XRANGE', STREAM, '(' .. row['last-delivered-id'], '+', 'COUNT', 1)[1]
  if not pending then return unread and unread[1] end
  if not unread then return pending[1] end
  return before(pending[1], unread[1]) and pending[1] or unread[1]
end

-- An approximate trim is bounded but takes whole nodes of the stream only; the rest of a node goes
-- exactly. Answers whether there may be more.
local function trim_by(strategy, threshold)
  local trimmed = redis.call('XTRIM', STREAM, strategy, '~', threshold, 'LIMIT', TRIM_LIMIT)
  if trimmed > TRIM_LIMIT / 2 then return true end
  redis.call('XTRIM', STREAM, strategy, threshold)
  return false
end

-- Without a group nothing is trimmed: what was published before the first one comes is for it.
local function trim_settled(rows)
  if #rows == 0 then return false end
  local lowest
  for _, row in ipairs(rows) do
    local needed = first_needed(row)
    if needed and (not lowest or before(needed, lowest)) then lowest = needed end
  end
  if lowest then return trim_by('MINID', lowest) end
  return trim_by('MAXLEN', 0)
end

-- How many of the oldest entries the caps drop, at most their limit.
local function count_capped(caps)
  local over = caps.max_len > 0 and redis.call('XLEN', STREAM) - caps.max_len or 0
  local old = 0
  if caps.max_age_ms > 0 then
    local before_ms = '(' .. number_text(now - caps.max_age_ms) .. '-0'
    old = #redis.call('XRANGE', STREAM, '-', before_ms, 'COUNT', caps.limit)
  end
  return math.max(0, old, math.min(over, caps.limit))
end

-- What a cap drops before a group was given it is lost for that group, and counted.
local function count_unread(rows, last, limit)
  for _, row in ipairs(rows) do
    local unread = redis.call('XRANGE', STREAM, '(' .. row['last-delivered-id'], last, 'COUNT', limit)
    if #unread > 0 then
      count_up('lost', #unread)
      count_up('lost:' .. encoded(row.name), #unread)
    end
  end
end

-- Drops the oldest beyond the caps, at most their limit a call; answers whether there may be more.
local function trim_capped(caps)
  local count = count_capped(caps)
  if count == 0 then return false end
  local rows = groups()
  local oldest = redis.call('XRANGE', STREAM, '-', '+', 'COUNT', count)
  count_unread(rows, oldest[#oldest][1], count)
  if #rows == 0 then count_up('lost', #oldest) end
  redis.call('XTRIM', STREAM, 'MAXLEN', redis.call('XLEN', STREAM) - #oldest)
  return count == caps.limit
end
