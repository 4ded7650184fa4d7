-- A page of the dead letters, newest first.
-- Answers how many there are in all, and id, time of death and letter of each on the page.
local base = KEYS[1]
local offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
-- @include clock
-- @include groups/state
-- @include groups/letters
local rows = limit > 0 and redis.call('ZREVRANGE', base .. DEAD, offset, offset + limit - 1, 'WITHSCORES') or {}
local page = {}
for i = 1, #rows, 2 do
  local letter = redis.call('HGET', base .. LETTERS, rows[i])
  if letter then page[#page + 1] = { rows[i], rows[i + 1], letter } end
end
return { redis.call('ZCARD', base .. DEAD), page }
