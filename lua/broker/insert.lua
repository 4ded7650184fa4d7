-- Inserts messages with exact ids, three arguments each: (queue, id, body); all or none. Raises
-- the high-water mark to the highest of them.
local base = KEYS[1]
-- @include broker/space
-- @include broker/rows

if not SPACE.is_ready then return NOT_READY end
if not is_type(BODIES, 'hash') or not is_type(QUEUES, 'set') then
  return redis.error_reply('INTEGRITY a key of the namespace is of another type')
end
local seen, rows, bodies, last = {}, {}, {}, SPACE.last
for i = 1, #ARGV, 3 do
  local queue, id = resolve(ARGV[i]), ARGV[i + 1]
  if not queue then return unknown_alias(ARGV[i]) end
  if not can_take_rows(queue) then return redis.error_reply('INTEGRITY a key of ' .. queue .. ' is of another type') end
  if seen[id] or redis.call('HEXISTS', BODIES, id) == 1 then
    return redis.error_reply('INTEGRITY the message id ' .. id .. ' is taken')
  end
  seen[id] = true
  if id > last then last = id end
  bodies[#bodies + 1], bodies[#bodies + 2] = id, ARGV[i + 2]
  rows[queue] = rows[queue] or {}
  table.insert(rows[queue], id)
end
redis.call('HSET', META, 'last', last)
each_chunk(bodies, function(from, to)
  redis.call('HSET', BODIES, unpack(bodies, from, to))
end)
for queue, ids in pairs(rows) do
  add_rows(key_of(queue, 'pending'), ids)
  redis.call('SADD', QUEUES, queue)
  publish(queue)
end
return last
