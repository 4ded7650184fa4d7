-- Shows messages of some sets of a queue, merged by id, and changes nothing.
-- Answers the queue, then (id, body, set) a message; what is due or lapsed counts as pending.
local base = KEYS[1]
local name, exact, after, before = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local order, limit, scope = ARGV[5], tonumber(ARGV[6]), ARGV[7]
-- @include broker/space
-- @include broker/due
-- @include broker/select

local SCOPES = {
  waiting = { 'pending' },
  unread = { 'pending', 'postponed', 'reserved' },
  all = { 'pending', 'postponed', 'reserved', 'claimed' },
}
local queue = resolve(name)
if not queue then return unknown_alias(name) end
local found = find_rows(queue, SCOPES[scope], bounds_of(exact, after, before, order), limit)
for id, part in pairs(found.part_of) do
  local is_aside = part == 'postponed' or part == 'reserved'
  if is_aside and is_due(queue, id) then found.part_of[id] = 'pending' end
end
return { queue, as_reply(found, true) }
