-- Messages on their way in: gathered queue by queue, then written in chunks.
-- @include broker/rows
local UNKNOWN, WRONG = 0, -1
local targets, new_bodies, new_rows = {}, {}, {}

-- The queue that a name stands for, or why it takes nothing; looked up once a call.
local function target_of(name)
  local known = targets[name]
  if known then return known end
  local queue = resolve(name)
  local target = not queue and UNKNOWN or not can_take_rows(queue) and WRONG or queue
  targets[name] = target
  return target
end

local function add_new(queue, id, body)
  new_bodies[#new_bodies + 1], new_bodies[#new_bodies + 2] = id, body
  new_rows[queue] = new_rows[queue] or {}
  table.insert(new_rows[queue], id)
end

-- Writes what was gathered; `last` is the highest id from now on.
local function write_new(last)
  redis.call('HSET', META, 'last', last)
  each_chunk(new_bodies, function(from, to)
    redis.call('HSET', BODIES, unpack(new_bodies, from, to))
  end)
  for queue, ids in pairs(new_rows) do
    add_rows(key_of(queue, 'pending'), ids)
    redis.call('SADD', QUEUES, queue)
  end
end
