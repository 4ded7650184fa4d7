-- Writes messages, two arguments each: (queue, body). Answers per message its id, or why it was
-- not written, the others being so: 0 the alias is unknown, -1 the queue's key is of another type.
local base = KEYS[1]
-- @include broker/space
-- @include broker/ids
-- @include broker/rows

if not SPACE.is_ready then return NOT_READY end
if not has_room(SPACE.last, #ARGV / 2) then return NO_ROOM end
if not is_type(BODIES, 'hash') or not is_type(QUEUES, 'set') then
  return redis.error_reply('INTEGRITY a key of the namespace is of another type')
end

local UNKNOWN, WRONG = 0, -1
local targets = {}
local function target_of(name)
  local known = targets[name]
  if known then return known end
  local queue = resolve(name)
  local target = not queue and UNKNOWN or not can_take_rows(queue) and WRONG or queue
  targets[name] = target
  return target
end

local next_id = id_source(SPACE.last)
local replies, bodies, rows, last = {}, {}, {}, nil
for i = 1, #ARGV, 2 do
  local queue = target_of(ARGV[i])
  if type(queue) == 'number' then
    replies[#replies + 1] = queue
  else
    last = next_id()
    replies[#replies + 1] = last
    bodies[#bodies + 1], bodies[#bodies + 2] = last, ARGV[i + 1]
    rows[queue] = rows[queue] or {}
    table.insert(rows[queue], last)
  end
end
if not last then return replies end
redis.call('HSET', META, 'last', last)
each_chunk(bodies, function(from, to)
  redis.call('HSET', BODIES, unpack(bodies, from, to))
end)
for queue, ids in pairs(rows) do
  add_rows(key_of(queue, 'pending'), ids)
  redis.call('SADD', QUEUES, queue)
  for _ = 1, #ids do
    publish(queue)
  end
end
return replies
