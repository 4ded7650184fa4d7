-- Writes one copy of a body to each target, in one step: 'all' takes the registry as it is now,
-- 'existing' the named queues that are in it, 'create' every named one. Linear in the targets.
-- Answers how many there were and the last id; no target changes nothing.
local base = KEYS[1]
local mode, body = ARGV[1], ARGV[2]
-- @include broker/space
-- @include broker/ids
-- @include broker/rows

if not SPACE.is_ready then return NOT_READY end
if not can_take_messages() then return WRONG_NAMESPACE end

local function targets()
  if mode == 'all' then
    local all = redis.call('SMEMBERS', QUEUES)
    table.sort(all)
    return all
  end
  local named = {}
  for i = 3, #ARGV do
    if mode == 'create' or redis.call('SISMEMBER', QUEUES, ARGV[i]) == 1 then named[#named + 1] = ARGV[i] end
  end
  return named
end

local queues = targets()
if #queues == 0 then return { 0, SPACE.last } end
if not has_room(SPACE.last, #queues) then return NO_ROOM end
for _, queue in ipairs(queues) do
  if not can_take_rows(queue) then return wrong_type(queue) end
end
local next_id, last = id_source(SPACE.last), nil
for _, queue in ipairs(queues) do
  last = next_id()
  redis.call('HSET', BODIES, last, body)
  redis.call('ZADD', key_of(queue, 'pending'), 0, last)
  if mode == 'create' then redis.call('SADD', QUEUES, queue) end
  publish(queue)
end
redis.call('HSET', META, 'last', last)
return { #queues, last }
