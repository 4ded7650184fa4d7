-- Writes one message and keeps the `keep` newest pending ones, the new one among them; what it
-- displaces becomes claimed. Linear in the displaced rows, in one step. Answers the id.
local base = KEYS[1]
local name, keep, body = ARGV[1], tonumber(ARGV[2]), ARGV[3]
-- @include broker/space
-- @include broker/ids
-- @include broker/holds

if not SPACE.is_ready then return NOT_READY end
if not has_room(SPACE.last, 1) then return NO_ROOM end
local queue = resolve(name)
if not queue then return unknown_alias(name) end
local pending, reserved, claimed = key_of(queue, 'pending'), key_of(queue, 'reserved'), key_of(queue, 'claimed')
for key, wanted in pairs({
  [BODIES] = 'hash', [QUEUES] = 'set', [pending] = 'zset', [reserved] = 'zset', [claimed] = 'zset',
}) do
  if not is_type(key, wanted) then return redis.error_reply('INTEGRITY ' .. key .. ' is not a ' .. wanted) end
end
recover_first(queue)

local displaced = redis.call('ZCARD', pending) + redis.call('ZCARD', reserved) + 1 - keep
local oldest = redis.call('ZRANGE', reserved, 0, 0)[1]
-- the oldest reserved row stands behind so many: with more than those displaced it is one of them
if oldest and redis.call('ZLEXCOUNT', pending, '-', '(' .. oldest) < displaced then
  return redis.error_reply('RESERVED a message that keepNewest would displace is reserved in ' .. queue)
end
for from = 0, displaced - 1, CHUNK do
  for _, id in ipairs(redis.call('ZRANGE', pending, from, math.min(from + CHUNK, displaced) - 1)) do
    if redis.call('HEXISTS', BODIES, id) == 0 then
      return redis.error_reply('INTEGRITY the pending message ' .. id .. ' of ' .. queue .. ' has no body')
    end
  end
end

local function copy_rows(from, count, to)
  for first = 0, count - 1, CHUNK do
    add_rows(to, redis.call('ZRANGE', from, first, math.min(first + CHUNK, count) - 1))
  end
end

-- The fewer rows go through Lua, to where the more are. (A ZUNIONSTORE of both takes twice as long
-- as taking each of 100,000 rows over.)
local function displace()
  local survivors = redis.call('ZRANGE', pending, displaced, -1) -- fewer than `keep`
  local old = redis.call('ZCARD', claimed)
  if old + #survivors < displaced then
    copy_rows(claimed, old, pending)
    redis.call('UNLINK', claimed)
    redis.call('RENAME', pending, claimed)
    take_rows(claimed, survivors)
    add_rows(pending, survivors)
  else
    copy_rows(pending, displaced, claimed)
    redis.call('ZREMRANGEBYRANK', pending, 0, displaced - 1)
  end
end

if displaced > 0 then displace() end
local id = id_source(SPACE.last)()
redis.call('HSET', META, 'last', id)
redis.call('HSET', BODIES, id, body)
redis.call('ZADD', pending, 0, id)
redis.call('SADD', QUEUES, queue)
publish(queue)
return id
