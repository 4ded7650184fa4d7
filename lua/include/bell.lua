-- A doorbell is a LIST that idle loops block on. One token is enough: a loop that took it and
-- leaves work behind rings again. It expires, so that bells nobody waits for do not pile up.
local BELL_TTL_MS = 60000

local function ring_one(key)
  if redis.call('EXISTS', key) == 1 then return end
  redis.call('RPUSH', key, '1')
  redis.call('PEXPIRE', key, BELL_TTL_MS)
end

-- Rings two bells; on a busy queue both have a token already, and one look tells.
local function ring(first, second)
  if redis.call('EXISTS', first, second) == 2 then return end
  ring_one(first)
  ring_one(second)
end
