-- Looks for a text in the bodies of a queue, a window of rows at a time, reserved ones skipped.
-- Answers the ids, ascending, and the last id looked at ('' at the end).
local base = KEYS[1]
local name, needle, after, before = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local limit, with_claimed = tonumber(ARGV[5]), ARGV[6] == '1'
-- @include broker/space
-- @include broker/holds
-- @include broker/select

local WINDOW = 500
local queue = resolve(name)
if not queue then return unknown_alias(name) end
if SPACE.is_ready and not has_recovered(queue) then return AGAIN end
local parts = with_claimed and { 'pending', 'postponed', 'claimed' } or { 'pending', 'postponed' }
local ids = merged_ids(queue, parts, bounds_of('', after, before, 'oldest'), WINDOW)
local matches, bytes = {}, 0
for i = 1, #ids do
  local body = redis.call('HGET', BODIES, ids[i]) or ''
  bytes = bytes + #body
  if string.find(body, needle, 1, true) then matches[#matches + 1] = ids[i] end
  if #matches == limit or bytes > MAX_BYTES then return { matches, ids[i] } end
end
return { matches, #ids < WINDOW and '' or ids[WINDOW] }
