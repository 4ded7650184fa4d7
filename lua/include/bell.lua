-- A doorbell is a LIST that idle loops block on. One token is enough: a loop that took it and
-- leaves work behind rings again. It expires, so that bells nobody waits for do not pile up.
local BELL_TTL_MS = 60000

local function ring(key)
  if redis.call('EXISTS', key) == 0 then
    redis.call('RPUSH', key, '1')
    redis.call('PEXPIRE', key, BELL_TTL_MS)
  end
end
