-- Appends messages to the stream, or keeps them until they are due.
-- The arguments after the named ones: four a message, (delay, id, headers, body); a delay above 0
-- delays, and only then the id is used. With a cap on the length the oldest beyond it go.
-- Answers an id a message; one that the server refuses has the server's text, after a '-'.
local base = KEYS[1]
local max_len = tonumber(ARGV[1])
-- @include clock
-- @include streams/places
-- @include streams/delayed
-- @include streams/trim
local CAP_SLACK, CAP_LIMIT = 100, 500

local function publish(delay_ms, id, headers, body)
  local message = { id = '', since = 0, attempt = 0, group = '', headers = headers, body = body }
  if delay_ms <= 0 then return add_entry(message) end
  message.id, message.since = id, now
  return put_delayed(message, now + delay_ms)
end

local replies = {}
for i = 2, #ARGV, 4 do
  local reply = publish(tonumber(ARGV[i]), ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
  replies[#replies + 1] = is_error(reply) and '-' .. reply.err or reply
end
if max_len > 0 and redis.call('XLEN', STREAM) > max_len + math.min(CAP_SLACK, max_len / 10) then
  trim_capped({ max_len = max_len, max_age_ms = 0, limit = CAP_LIMIT })
end
return replies
