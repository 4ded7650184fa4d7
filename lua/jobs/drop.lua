-- Deletes a failed job for good. Answers 1, or 0 when there is no failed job of that id.
local base = KEYS[1]
local id = ARGV[1]
-- @include clock
-- @include jobs/places
if redis.call('ZREM', PLACE[FAILED], id) == 0 then return 0 end
forget({ id })
return 1
