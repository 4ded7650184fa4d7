-- Reserves the oldest unreserved messages of a queue under a token, for a later commit as a read
-- or as a move. Answers the queue, the batch's creation time, then (id, body) a message; a batch
-- without messages is none. Repeated under its token, it answers the batch that it began.
local base = KEYS[1]
local op, source_name, target_name, token = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local after, before, limit = ARGV[5], ARGV[6], tonumber(ARGV[7])
-- @include broker/space
-- @include broker/ids
-- @include broker/holds
-- @include broker/select
-- @include broker/batch

if not SPACE.is_ready then return NOT_READY end
local begun = redis.call('HMGET', batch_key(token, 'meta'), 'source', 'created')
if begun[1] then return { begun[1], begun[2], rows_of_batch(token) } end
local source = resolve(source_name)
if not source then return unknown_alias(source_name) end
local target = op == 'move' and resolve(target_name) or ''
if not target then return unknown_alias(target_name) end
if source == target then return redis.error_reply('INVALID_OPTION target is the queue itself') end
if not can_take_rows(source, 'reserved') then return wrong_type(source) end
if not can_forget_messages() or not is_type(BATCHES, 'zset') then return WRONG_NAMESPACE end
if not has_recovered(source) then return AGAIN end
local found = find_rows(source, { 'pending' }, bounds_of('', after, before, 'oldest'), limit)
local created = now_id()
take_pending(source, found) -- first, since a full server refuses a script whose first write adds
add_rows(key_of(source, 'reserved'), found.ids)
if #found.ids == 0 then
  if #found.strays > 0 then deregister_if_empty(source) end
  return { source, created, {} }
end
each_chunk(found.ids, function(from, to)
  redis.call('SADD', batch_key(token, 'ids'), unpack(found.ids, from, to))
end)
redis.call('HSET', batch_key(token, 'meta'), 'op', op, 'source', source, 'target', target, 'created', created)
redis.call('ZADD', BATCHES, now, token)
return { source, created, as_reply(found) }
