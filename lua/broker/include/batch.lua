-- A batch: rows of one queue reserved under a token until it commits, rolls back or is recovered.
-- @include broker/rows
local function batch_key(token, part)
  return base .. ':batch:' .. token .. ':' .. part
end

-- The batch of that token, if it is still the one that began at `created` on `source`: both are
-- compared as texts, since 19 digits do not fit a number.
local function find_batch(token, source, created)
  local values = redis.call('HMGET', batch_key(token, 'meta'), 'op', 'source', 'target', 'created')
  if values[2] ~= source or values[4] ~= created then return nil end
  return { token = token, op = values[1], source = source, target = values[3] or '' }
end

-- What it handed out: (id, body) a message, oldest first.
local function rows_of_batch(token)
  local ids, rows = redis.call('SMEMBERS', batch_key(token, 'ids')), {}
  table.sort(ids)
  for _, id in ipairs(ids) do
    local body = redis.call('HGET', BODIES, id)
    if body then rows[#rows + 1], rows[#rows + 2] = id, body end
  end
  return rows
end

-- Moves the batch's live rows from the reserved ones to `queue`'s `part`, and forgets the batch.
local function end_batch(batch, queue, part)
  local reserved, live = key_of(batch.source, 'reserved'), {}
  for _, id in ipairs(redis.call('SMEMBERS', batch_key(batch.token, 'ids'))) do
    if redis.call('ZSCORE', reserved, id) then live[#live + 1] = id end
  end
  take_rows(reserved, live) -- first, since a full server refuses a script whose first write adds
  add_rows(key_of(queue, part), live)
  redis.call('DEL', batch_key(batch.token, 'ids'), batch_key(batch.token, 'meta'))
  redis.call('ZREM', BATCHES, batch.token)
  return #live
end
