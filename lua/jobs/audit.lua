-- Checks one page of one part of a queue for broken invariants, and mends them when asked to.
-- Parts: records (each stands in the one place its status names), index (each entry of a place has
-- a record), types, holders. Answers the next cursor ('0' at the end) and findings as pairs.
local base = KEYS[1]
local part, index, cursor, repair = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
-- @include clock
-- @include jobs/places
-- @include jobs/audit
local reply = AUDIT[part](index, cursor, repair)
return { reply.cursor, reply.findings }
