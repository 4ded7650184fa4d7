-- Adds an alias if that keeps all of them flat, in either order of creation.
-- Answers the new alias version, and whether a queue of the alias's name exists.
local base = KEYS[1]
local alias, target = ARGV[1], ARGV[2]
-- @include broker/space
-- @include broker/rows

if not SPACE.is_ready then return NOT_READY end
if not is_type(ALIASES, 'hash') or not is_type(QUEUES, 'set') then return WRONG_NAMESPACE end
if not can_change_aliases() then return WRONG_ALIASES end
if redis.call('HEXISTS', ALIASES, alias) == 1 then return redis.error_reply('ALIAS @' .. alias .. ' exists already') end
if redis.call('HEXISTS', ALIASES, target) == 1 then
  return redis.error_reply('ALIAS the target ' .. target .. ' is an alias itself')
end
for _, other in ipairs(redis.call('HVALS', ALIASES)) do
  if other == alias then return redis.error_reply('ALIAS ' .. alias .. ' is the target of another alias') end
end
redis.call('HSET', ALIASES, alias, target)
return { redis.call('HINCRBY', META, 'aliases', 1), redis.call('SISMEMBER', QUEUES, alias) }
