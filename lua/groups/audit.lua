-- Checks one page of one part of a topic for broken invariants, and mends them when asked to.
-- Parts: prio (a live group has messages and one place), ready (an entry of a tier has its group),
-- tries, parked, dead, letters. Answers the next cursor ('0' at the end), how many messages the page's
-- groups hold (prio only), and findings as pairs.
local base = KEYS[1]
local part, tier, cursor, repair = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
-- @include clock
-- @include groups/state
-- @include groups/letters
-- @include groups/audit
return audit(part, tier, cursor, repair)
