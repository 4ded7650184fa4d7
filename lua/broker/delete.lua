-- Deletes messages of a queue by their ids, claimed ones too; with a reserved one among them, none.
-- Answers how many there were.
local base = KEYS[1]
local name = ARGV[1]
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return NOT_READY end
local queue = resolve(name)
if not queue then return unknown_alias(name) end
if not is_sound(queue) then return wrong_type(queue) end
if not can_forget_messages() then return WRONG_NAMESPACE end
local lapsed = {}
for i = 2, #ARGV do
  if is_reserved(queue, ARGV[i]) then
    if is_held(queue, ARGV[i]) then
      return redis.error_reply('RESERVED the message ' .. ARGV[i] .. ' of ' .. queue .. ' is reserved')
    end
    lapsed[#lapsed + 1] = ARGV[i]
  end
end
for _, id in ipairs(lapsed) do
  recover_one(queue, id, math.huge) -- some may be dead letters now, which are none of this verb's
end

local function ids_of(part)
  local ids = {}
  for i = 2, #ARGV do
    if redis.call('ZSCORE', key_of(queue, part), ARGV[i]) then ids[#ids + 1] = ARGV[i] end
  end
  return ids
end

local count = 0
for part, ids in pairs({ pending = ids_of('pending'), postponed = ids_of('postponed'), claimed = ids_of('claimed') }) do
  forget(ids)
  if part == 'postponed' then take_rows(key_of(queue, 'leases'), ids) end
  count = count + take_rows(key_of(queue, part), ids)
end
if count > 0 then deregister_if_empty(queue) end
return count
