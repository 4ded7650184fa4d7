-- Renames a queue, its messages keeping their ids, and by default retargets the aliases of it.
-- Answers how many messages and how many aliases; nothing to rename is no change.
local base = KEYS[1]
local from, to, retarget = ARGV[1], ARGV[2], ARGV[3] == '1'
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return NOT_READY end
if not can_forget_messages() then return WRONG_NAMESPACE end
if not is_sound(from) then return wrong_type(from) end
if has_held(from, '') then return redis.error_reply('RESERVED messages of ' .. from .. ' are reserved') end
if not is_empty(to) then return redis.error_reply('QUEUE_EXISTS the queue ' .. to .. ' has messages') end
if is_empty(from) then return { 0, 0 } end

local aliases = {}
if retarget then
  local pairs_of = redis.call('HGETALL', ALIASES)
  for i = 1, #pairs_of, 2 do
    if pairs_of[i + 1] == from then aliases[#aliases + 1] = pairs_of[i] end
  end
end
if #aliases > 0 and redis.call('HEXISTS', ALIASES, to) == 1 then
  return redis.error_reply('ALIAS ' .. to .. ' is an alias itself, and aliases of ' .. from .. ' would lead to it')
end
if #aliases > 0 and not can_change_aliases() then return WRONG_ALIASES end
recover_all(from) -- nothing is reserved after that, and the leases are those of postponed rows
local count = 0
for _, part in ipairs({ 'pending', 'postponed', 'claimed', 'dead', 'leases' }) do
  if redis.call('EXISTS', key_of(from, part)) == 1 then
    redis.call('RENAME', key_of(from, part), key_of(to, part))
    if part ~= 'dead' and part ~= 'leases' then count = count + redis.call('ZCARD', key_of(to, part)) end
  end
end
redis.call('SREM', QUEUES, from)
redis.call('SADD', QUEUES, to)
for _, alias in ipairs(aliases) do
  redis.call('HSET', ALIASES, alias, to)
end
if #aliases > 0 then redis.call('HINCRBY', META, 'aliases', 1) end
publish(from)
publish(to)
return { count, #aliases }
