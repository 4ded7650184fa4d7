-- Commits a batch (its messages become claimed, or go to the target of the move) or rolls it back
-- (they are pending again, each in its place; a batch that was recovered, ended or renewed is left
-- alone). Answers how many messages it held.
local base = KEYS[1]
local verb, token, source, created = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
-- @include broker/space
-- @include broker/batch

if not SPACE.is_ready then return NOT_READY end
local batch = find_batch(token, source, created)
if not batch then
  if verb == 'rollback' then return 0 end
  return redis.error_reply('INVALID_BATCH the batch of ' .. source .. ' was recovered or has ended')
end
local is_move = verb == 'commit' and batch.op == 'move'
local queue = is_move and batch.target or source
local part = verb == 'commit' and batch.op == 'read' and 'claimed' or 'pending'
if not can_take_rows(queue, part) then return wrong_type(queue) end
if not can_take_messages() or not is_type(BATCHES, 'zset') then return WRONG_NAMESPACE end
local count = end_batch(batch, queue, part)
if is_move and count > 0 then redis.call('SADD', QUEUES, queue) end
if is_move then deregister_if_empty(source) end
if part == 'pending' and count > 0 then publish(queue) end
return count
