-- Deletes a namespace, only keys of ours, none while something is reserved. Linear in its queues,
-- in one step. Answers whether there was one.
local base = KEYS[1]
-- @include broker/space
-- @include broker/holds

if redis.call('EXISTS', META) == 0 and redis.call('EXISTS', QUEUES, ALIASES, BODIES, RUNS, BATCHES) == 0 then
  return 0
end
if not SPACE.is_ready then return redis.error_reply('NAMESPACE ' .. base .. ' is foreign or incomplete') end
local queues = redis.call('SMEMBERS', QUEUES)
for _, queue in ipairs(queues) do
  if has_held(queue, '') then return redis.error_reply('RESERVED messages of ' .. queue .. ' are reserved') end
end
for _, queue in ipairs(queues) do
  redis.call('UNLINK', key_of(queue, 'leases'))
  for _, part in ipairs(PARTS) do
    redis.call('UNLINK', key_of(queue, part))
  end
end
redis.call('UNLINK', META, QUEUES, ALIASES, BODIES, RUNS, BATCHES)
return 1
