-- Opens a namespace: makes it where nothing is, refuses what is not ours, incomplete or of another
-- schema. Answers magic, schema, last id, alias version and database.
local base = KEYS[1]
local db = ARGV[1]
-- @include broker/space

local function refuse(problem)
  return redis.error_reply('NAMESPACE ' .. base .. ' ' .. problem)
end

local found = redis.call('TYPE', META).ok
if found == 'none' then
  if redis.call('EXISTS', QUEUES, ALIASES, BODIES, RUNS, BATCHES) > 0 then
    return refuse('holds keys that are not of this library (there is no meta hash)')
  end
  redis.call('HSET', META, 'magic', MAGIC, 'schema', SCHEMA, 'last', string.rep('0', 19), 'aliases', '0', 'db', db)
elseif found ~= 'hash' then
  return refuse('is foreign: its meta key is a ' .. found)
end
local values = redis.call('HMGET', META, 'magic', 'schema', 'last', 'aliases', 'db')
if values[1] ~= MAGIC then return refuse('is foreign: its meta hash has another magic') end
if values[2] ~= SCHEMA then
  return refuse('has the storage schema ' .. (values[2] or 'none') .. ', this library needs ' .. SCHEMA)
end
if not values[3] or #values[3] ~= 19 or not values[4] or not values[5] then
  return refuse('is incomplete: its meta hash lacks a field')
end
return values
