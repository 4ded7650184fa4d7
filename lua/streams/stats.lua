-- Counts of a queue and, a row each, of its groups. What a group was not given yet is counted up
-- to `count_limit` where the server (below Redis 7) does not know it.
local base = KEYS[1]
local count_limit = tonumber(ARGV[1])
-- @include clock
-- @include streams/places
-- @include streams/trim

local function age_of(id)
  return id and math.max(0, now - (tonumber(string.match(id, '^%d+')) or now)) or 0
end

local function waiting_of(row)
  if type(row.lag) == 'number' then return row.lag end
  return #redis.call('XRANGE', STREAM, '(' .. row['last-delivered-id'], '+', 'COUNT', count_limit)
end

local function row_of(row)
  local unread = redis.call('XRANGE', STREAM, '(' .. row['last-delivered-id'], '+', 'COUNT', 1)[1]
  local pool = redis.call('XPENDING', STREAM, row.name, '-', '+', count_limit, POOL)
  local idlest
  for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', STREAM, row.name)) do
    local consumer = fields_of(info)
    if consumer.name ~= POOL then idlest = math.min(idlest or consumer.idle, consumer.idle) end
  end
  return {
    row.name, row.consumers, row.pending - #pool, waiting_of(row) + #pool, age_of(unread and unread[1]),
    row['last-delivered-id'], first_needed(row) or '', idlest or -1,
    tonumber(redis.call('HGET', META, 'lost:' .. encoded(row.name)) or 0),
  }
end

local rows = {}
for i, row in ipairs(groups()) do
  rows[i] = row_of(row)
end
local counters = redis.call('HMGET', META, 'ghosts', 'lost')
return {
  redis.call('XLEN', STREAM), redis.call('ZCARD', DELAYED), redis.call('XLEN', DEAD),
  tonumber(counters[1] or 0), tonumber(counters[2] or 0), rows,
}
