-- Commits a batch (its messages become claimed, or go to the target of the move) or rolls it back
-- (they are pending again, each in its place). Answers how many messages it held.
local base = KEYS[1]
local verb, token, source, created = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
-- @include broker/space
-- @include broker/batch

local batch = find_batch(token, source, created)
if not batch then
  if verb == 'rollback' then return 0 end
  return redis.error_reply('INVALID_BATCH the batch of ' .. source .. ' was recovered or has ended')
end
if verb == 'rollback' then
  local count = end_batch(batch, source, 'pending')
  publish(source)
  return count
end
if batch.op == 'read' then return end_batch(batch, source, 'claimed') end
if not can_take_rows(batch.target) then
  return redis.error_reply('INTEGRITY a key of ' .. batch.target .. ' is of another type')
end
local count = end_batch(batch, batch.target, 'pending')
if count > 0 then
  redis.call('SADD', QUEUES, batch.target)
  publish(batch.target)
end
deregister_if_empty(source)
return count
