-- Inserts messages with exact ids, three arguments each: (queue, id, body); all or none. Raises
-- the high-water mark to the highest of them. Linear in them, in one step.
local base = KEYS[1]
-- @include broker/space
-- @include broker/new-rows

if not SPACE.is_ready then return NOT_READY end
if not can_take_messages() then return WRONG_NAMESPACE end
local seen, last = {}, SPACE.last
for i = 1, #ARGV, 3 do
  local queue, id = target_of(ARGV[i]), ARGV[i + 1]
  if queue == UNKNOWN then return unknown_alias(ARGV[i]) end
  if queue == WRONG then return wrong_type(ARGV[i]) end
  if seen[id] or redis.call('HEXISTS', BODIES, id) == 1 then
    return redis.error_reply('INTEGRITY the message id ' .. id .. ' is taken')
  end
  seen[id] = true
  if id > last then last = id end
  add_new(queue, id, ARGV[i + 2])
end
write_new(last)
for queue in pairs(new_rows) do
  publish(queue)
end
return last
