-- Takes in messages: fixes the tier of groups that are new and makes them claimable.
-- The arguments after the named one: five a message, (group, tier, id, headers, payload).
-- Answers 1 when all are in, else a code per message: 1 in, 0 its group's key is no list.
local base = KEYS[1]
local new_groups_first = ARGV[1] == '1'
-- @include clock
-- @include groups/state
-- @include groups/frame
-- @include groups/publish
local codes, taken_in, is_woken = {}, 0, false
for i = 2, #ARGV, 5 do
  local frame = pack_frame(ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
  local length = append({ group = ARGV[i], tier = ARGV[i + 1], frame = frame }, new_groups_first)
  if type(length) == 'number' then
    taken_in = taken_in + 1
    is_woken = is_woken or length == 1
    codes[#codes + 1] = 1
  else
    -- what is refused before anything was written is refused as a whole: no memory, read-only
    if taken_in == 0 and not string.find(length.err, 'WRONGTYPE', 1, true) then return length end
    codes[#codes + 1] = 0
  end
end
write_backlog()
if is_woken then ring_bell() end
return taken_in == #codes and 1 or codes
