-- Writes messages, two arguments each: (queue, body). Answers per message its id, or why it was
-- not written, the others being so: 0 the alias is unknown, -1 the queue's key is of another type.
local base = KEYS[1]
-- @include broker/space
-- @include broker/ids
-- @include broker/new-rows

if not SPACE.is_ready then return NOT_READY end
if not has_room(SPACE.last, #ARGV / 2) then return NO_ROOM end
if not can_take_messages() then return WRONG_NAMESPACE end
local next_id = id_source(SPACE.last)
local replies, last = {}, nil
for i = 1, #ARGV, 2 do
  local queue = target_of(ARGV[i])
  if type(queue) == 'number' then
    replies[#replies + 1] = queue
  else
    last = next_id()
    replies[#replies + 1] = last
    add_new(queue, last, ARGV[i + 1])
  end
end
if not last then return replies end
write_new(last)
for queue, ids in pairs(new_rows) do
  for _ = 1, #ids do
    publish(queue)
  end
end
return replies
