-- Deletes all messages of the named queues, or those below the bound `before`; with a reserved one
-- among them, none of any queue. Linear, in one step. Answers how many there were.
local base = KEYS[1]
local before = ARGV[1]
-- @include broker/space
-- @include broker/holds
-- @include broker/select

if not SPACE.is_ready then return NOT_READY end
if not can_forget_messages() then return WRONG_NAMESPACE end
local bound, queues = bounds_of('', '', before, 'oldest'), {}
for i = 2, #ARGV do
  local queue = resolve(ARGV[i])
  if not queue then return unknown_alias(ARGV[i]) end
  if not is_sound(queue) then return wrong_type(queue) end
  if has_held(queue, before) then return redis.error_reply('RESERVED messages of ' .. queue .. ' are reserved') end
  queues[#queues + 1] = queue
end

local function drain(queue, part)
  local key, count = key_of(queue, part), 0
  repeat
    local ids = ids_in(key, bound, CHUNK)
    forget(ids)
    if part == 'postponed' then take_rows(key_of(queue, 'leases'), ids) end
    count = count + take_rows(key, ids)
  until #ids < CHUNK
  return count
end

local function drop_dead(queue)
  repeat
    local ids = redis.call('ZRANGE', key_of(queue, 'dead'), 0, CHUNK - 1)
  until drop_dead_rows(queue, ids) < CHUNK
end

local count = 0
for _, queue in ipairs(queues) do
  recover_all(queue)
  local gone = drain(queue, 'pending') + drain(queue, 'postponed') + drain(queue, 'claimed')
  if before == '' then drop_dead(queue) end
  if gone > 0 or before == '' then deregister_if_empty(queue) end
  count = count + gone
end
return count
