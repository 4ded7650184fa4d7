-- Redrives a dead letter (it is pending again, at its own place) or drops it for good.
-- Answers whether there was one.
local base = KEYS[1]
local verb, queue, id = ARGV[1], ARGV[2], ARGV[3]
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return NOT_READY end
if not is_sound(queue) then return wrong_type(queue) end
if not can_forget_messages() then return WRONG_NAMESPACE end
if redis.call('ZREM', key_of(queue, 'dead'), id) == 0 then return 0 end
if verb == 'drop' then
  forget({ id })
  deregister_if_empty(queue)
  return 1
end
redis.call('ZADD', key_of(queue, 'pending'), 0, id)
local run = read_run(id)
if run then
  run.state, run.fence = WAITING, '0'
  write_run(id, run)
end
publish(queue)
return 1
