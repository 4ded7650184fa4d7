-- One job, or nil.
local base = KEYS[1]
local id = ARGV[1]
-- @include clock
-- @include jobs/places
-- @include jobs/show
return show(id)
