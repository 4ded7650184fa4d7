-- The periodic work of a queue in one call: move what is due, trim what every group has settled
-- and what the caps say, sweep consumer names that idle with nothing pending (0: not now).
-- Answers whether something is left to do, and milliseconds until the next message is due.
local base = KEYS[1]
local limit, max_len = tonumber(ARGV[1]), tonumber(ARGV[2])
local max_age_ms, consumer_idle_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
-- @include clock
-- @include streams/places
-- @include streams/delayed
-- @include streams/trim

local function sweep(row)
  for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', STREAM, row.name)) do
    local consumer = fields_of(info)
    if consumer.pending == 0 and consumer.idle > consumer_idle_ms then
      redis.call('XGROUP', 'DELCONSUMER', STREAM, row.name, consumer.name)
    end
  end
end

local is_full = promote(limit) == limit
local rows = groups()
if consumer_idle_ms > 0 then
  for _, row in ipairs(rows) do
    sweep(row)
  end
end
is_full = trim_settled(rows) or is_full
is_full = trim_capped({ max_len = max_len, max_age_ms = max_age_ms, limit = limit }) or is_full
return { is_full and 1 or 0, next_due_in() }
