-- The keys of a namespace. A queue's rows stand in one of its sets each, by their 19-digit ids:
-- pending, postponed (by the handler that gave them back), reserved (by an open batch or a running
-- handler), claimed, dead.
local META, QUEUES, ALIASES = base .. ':meta', base .. ':queues', base .. ':aliases'
local BODIES, RUNS, BATCHES = base .. ':bodies', base .. ':runs', base .. ':batches'
local PARTS = { 'pending', 'postponed', 'reserved', 'claimed', 'dead' }

-- Queue names hold neither colons nor braces.
local function key_of(queue, part)
  return base .. ':q:' .. queue .. ':' .. part
end

local function is_type(key, wanted)
  local found = redis.call('TYPE', key).ok
  return found == 'none' or found == wanted
end
