-- Moves messages to another queue; they keep id and state. Answers source, target, then (id, body)
-- a message.
local base = KEYS[1]
local source_name, target_name = ARGV[1], ARGV[2]
local exact, after, before, order = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local limit, with_claimed = tonumber(ARGV[7]), ARGV[8] == '1'
-- @include broker/space
-- @include broker/holds
-- @include broker/select

if not SPACE.is_ready then return NOT_READY end
local source, target = resolve(source_name), resolve(target_name)
if not source then return unknown_alias(source_name) end
if not target then return unknown_alias(target_name) end
if source == target then return redis.error_reply('INVALID_OPTION target is the queue itself') end
local parts = with_claimed and { 'pending', 'claimed' } or { 'pending' }
for _, part in ipairs(parts) do
  if not can_take_rows(target, part) then return wrong_type(target) end
end
if not can_forget_messages() then return WRONG_NAMESPACE end
if not has_recovered(source) then return AGAIN end
local found = find_rows(source, parts, bounds_of(exact, after, before, order), limit)
for _, part in ipairs(parts) do
  local ids = of_part(found, found.ids, part)
  take_rows(key_of(source, part), ids) -- first, since a full server refuses a first write that adds
  add_rows(key_of(target, part), ids)
  take_rows(key_of(source, part), of_part(found, found.strays, part))
end
forget(found.strays)
if #found.ids > 0 then
  redis.call('SADD', QUEUES, target)
  publish(target)
end
if #found.ids + #found.strays > 0 then deregister_if_empty(source) end
return { source, target, as_reply(found) }
