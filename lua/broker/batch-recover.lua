-- Gives back the messages of a batch that a scan found stale, if it is still the one that was
-- found: one that ended, vanished or was renewed since is left alone. Answers how many.
local base = KEYS[1]
local token, source, created = ARGV[1], ARGV[2], ARGV[3]
-- @include broker/space
-- @include broker/batch

local batch = find_batch(token, source, created)
if not batch then return 0 end
local count = end_batch(batch, source, 'pending')
publish(source)
return count
