-- Who holds an entry: it is pending for this consumer under the delivery count and the number of
-- releases that its token names. XACK alone would end the next holder's run as well.
local RELEASES = releases_key(group)
local has_releases = redis.call('EXISTS', RELEASES) == 1

local function releases_of(id)
  return has_releases and redis.call('HGET', RELEASES, id) or '0'
end

local function is_held(id, token)
  local row = redis.pcall('XPENDING', STREAM, group, id, id, 1, consumer)[1]
  return row ~= nil and row[4] .. '.' .. releases_of(id) == token
end

-- Who holds many: one look at the first entries of the consumer, which mostly are those that end.
-- A tenth less of the server's time a message than a look each, in a drain at 100 slots.
local function hold_finder(count)
  local limit = count * 2 + 8
  local rows = redis.pcall('XPENDING', STREAM, group, '-', '+', limit, consumer)
  local counts = {}
  for _, row in ipairs(rows) do
    counts[row[1]] = row[4]
  end
  return function(id, token)
    if counts[id] then return counts[id] .. '.' .. releases_of(id) == token end
    return #rows == limit and is_held(id, token)
  end
end

-- The group is through with these entries.
local function finish(ids)
  if #ids == 0 then return end
  redis.call('XACK', STREAM, group, unpack(ids))
  if has_releases then redis.call('HDEL', RELEASES, unpack(ids)) end
end
