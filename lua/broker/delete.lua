-- Deletes messages of a queue by their ids, claimed ones too; with a reserved one among them, none.
-- Answers how many there were.
local base = KEYS[1]
local name = ARGV[1]
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return NOT_READY end
local queue = resolve(name)
if not queue then return unknown_alias(name) end
recover_first(queue)
local parts, gone = { pending = {}, claimed = {} }, {}
for i = 2, #ARGV do
  local id = ARGV[i]
  if redis.call('ZSCORE', key_of(queue, 'reserved'), id) then
    return redis.error_reply('RESERVED the message ' .. id .. ' of ' .. queue .. ' is reserved')
  end
  for part, ids in pairs(parts) do
    if redis.call('ZSCORE', key_of(queue, part), id) then
      ids[#ids + 1] = id
      gone[#gone + 1] = id
    end
  end
end
local count = 0
for part, ids in pairs(parts) do
  count = count + take_rows(key_of(queue, part), ids)
end
forget(gone)
if count > 0 then deregister_if_empty(queue) end
return count
