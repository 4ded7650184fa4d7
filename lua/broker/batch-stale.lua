-- Which batches began at least `stale_ms` ago, at most `limit`: (token, source, created) each.
local base = KEYS[1]
local stale_ms, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
-- @include clock
-- @include broker/batch

local found = {}
for _, token in ipairs(redis.call('ZRANGEBYSCORE', BATCHES, '-inf', now - stale_ms, 'LIMIT', 0, limit)) do
  local values = redis.call('HMGET', batch_key(token, 'meta'), 'source', 'created')
  if values[1] and values[2] and string.match(values[2], '^%d+$') then
    found[#found + 1] = token
    found[#found + 1] = values[1]
    found[#found + 1] = values[2]
  end
end
return found
