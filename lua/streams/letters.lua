-- A page of dead letters, newest first, from a cursor ('+' at first) on.
-- Answers the letters as (id in the dead stream, fields).
local base = KEYS[1]
local cursor, limit = ARGV[1], tonumber(ARGV[2])
return redis.call('XREVRANGE', base .. ':dead', cursor, '-', 'COUNT', limit)
