-- What the meta hash says at the start of the call, and names behind aliases.
-- @include broker/keys
local MAGIC, SCHEMA = 'nest-redis-queue:broker', '1'

local function read_space()
  local values = redis.pcall('HMGET', META, 'magic', 'schema', 'last', 'db', 'fence')
  if values.err then return {} end -- the key is of another type
  return {
    is_ready = values[1] == MAGIC and values[2] == SCHEMA and values[3] and values[4] and true,
    last = values[3], db = values[4], fence = values[5],
  }
end

local SPACE = read_space()
local NOT_READY = redis.error_reply('NOT_INITIALISED the namespace was deleted')

-- A queue as it is called: plain names are literal, `@name` stands for an alias's target.
local function resolve(name)
  if string.sub(name, 1, 1) ~= '@' then return name end
  return redis.call('HGET', ALIASES, string.sub(name, 2))
end

local function unknown_alias(name)
  return redis.error_reply('ALIAS there is no alias ' .. name)
end

-- Whether the alias version can be raised: whatever changes aliases looks before its first write.
local function can_change_aliases()
  local version = redis.call('HGET', META, 'aliases')
  return not version or version == '0' or (#version < 19 and string.match(version, '^[1-9]%d*$'))
end

local WRONG_ALIASES = redis.error_reply('INTEGRITY the alias version of the namespace is no number')

-- Wakes the waiters of a queue, here and in other processes; a hint, never the truth.
local function publish(queue)
  redis.call('PUBLISH', base .. ':activity:' .. SPACE.db .. ':' .. queue, '1')
end
