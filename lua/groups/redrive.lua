-- Appends a dead letter to the tail of its group, as a message that was never tried.
-- Answers 1, or 0 when there is no such letter.
local base = KEYS[1]
local id, new_groups_first = ARGV[1], ARGV[2] == '1'
-- @include clock
-- @include groups/state
-- @include groups/letters
-- @include groups/publish
local letter = read_letter(id)
if not letter then return 0 end
local length = append(letter, new_groups_first)
if type(length) == 'table' then return length end
drop_letters({ id })
write_backlog()
if length == 1 then ring_bell() end
return 1
