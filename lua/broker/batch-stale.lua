-- Which batches began at least `stale_ms` ago, a page of at most `limit`: how many it looked at,
-- then (token, source, created) of each that is whole.
local base = KEYS[1]
local stale_ms, offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
-- @include clock
-- @include broker/batch

local tokens = redis.call('ZRANGEBYSCORE', BATCHES, '-inf', now - stale_ms, 'LIMIT', offset, limit)
local found = {}
for _, token in ipairs(tokens) do
  local values = redis.call('HMGET', batch_key(token, 'meta'), 'source', 'created')
  if values[1] and values[2] and string.match(values[2], '^%d+$') then
    found[#found + 1] = token
    found[#found + 1] = values[1]
    found[#found + 1] = values[2]
  end
end
return { #tokens, found }
