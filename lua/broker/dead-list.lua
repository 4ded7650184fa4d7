-- The dead letters of a queue, newest first: (id, body, attempts, dead since, reason) each.
local base = KEYS[1]
local queue, offset, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
-- @include broker/space
-- @include broker/holds

local rows = redis.call('ZREVRANGE', key_of(queue, 'dead'), offset, offset + limit - 1, 'WITHSCORES')
local letters = {}
for i = 1, #rows, 2 do
  local run = read_run(rows[i]) or { attempts = 0, reason = '' }
  letters[#letters + 1] = {
    rows[i], redis.call('HGET', BODIES, rows[i]) or '', run.attempts, rows[i + 1], run.reason,
  }
end
return letters
