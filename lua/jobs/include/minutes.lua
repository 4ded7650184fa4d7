-- A counter a minute of the jobs that ended well, for an exact figure of the last 24 hours.
local MINUTES = base .. ':minutes'
local DAY = 1440
local this_minute = math.floor(now / 60000)

local function minute_fields(from, to)
  local fields = {}
  for minute = from, to do
    fields[#fields + 1] = string.format('%.0f', minute)
  end
  return fields
end

local function done_in_a_day()
  local total = 0
  for _, count in ipairs(redis.call('HMGET', MINUTES, unpack(minute_fields(this_minute - DAY, this_minute)))) do
    total = total + (tonumber(count or 0) or 0)
  end
  return total
end

-- One page of the counters a call, on from where the last one ended: so the old ones go in bounded
-- steps, however long no upkeep ran.
local function trim_minutes(limit)
  local cursor = redis.call('HGET', META, 'minutesCursor') or '0'
  local page = redis.call('HSCAN', MINUTES, cursor, 'COUNT', limit)
  local old = {}
  for i = 1, #page[2], 2 do
    if (tonumber(page[2][i]) or 0) < this_minute - DAY then old[#old + 1] = page[2][i] end
  end
  if #old > 0 then redis.call('HDEL', MINUTES, unpack(old)) end
  if page[1] ~= cursor then redis.call('HSET', META, 'minutesCursor', page[1]) end
end
