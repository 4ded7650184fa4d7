-- Deletes a dead letter for good. Answers 1, or 0 when there is no such letter.
local base = KEYS[1]
local id = ARGV[1]
-- @include clock
-- @include groups/state
-- @include groups/letters
if redis.call('HEXISTS', base .. LETTERS, id) == 0 then return 0 end
drop_letters({ id })
return 1
