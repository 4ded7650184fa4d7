-- Deletes a namespace, at most 1,000 queues a call; only keys of ours, none while something is
-- reserved. Answers -1 when there is no namespace, else how many queues are left.
local base = KEYS[1]
-- @include broker/space
-- @include broker/rows

if redis.call('EXISTS', META) == 0 and redis.call('EXISTS', QUEUES, ALIASES, BODIES, RUNS, BATCHES) == 0 then
  return -1
end
if not SPACE.is_ready then return redis.error_reply('NAMESPACE ' .. base .. ' is foreign or incomplete') end
local queues = redis.call('SMEMBERS', QUEUES)
for _, queue in ipairs(queues) do
  if redis.call('EXISTS', key_of(queue, 'reserved')) == 1 then
    return redis.error_reply('RESERVED messages of ' .. queue .. ' are reserved')
  end
end
local count = math.min(#queues, CHUNK)
for i = 1, count do
  for _, part in ipairs({ 'pending', 'claimed', 'dead' }) do
    redis.call('UNLINK', key_of(queues[i], part))
  end
  redis.call('SREM', QUEUES, queues[i])
end
if count == #queues then redis.call('UNLINK', META, QUEUES, ALIASES, BODIES, RUNS, BATCHES) end
return #queues - count
