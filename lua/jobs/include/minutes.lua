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

-- Remembers how far it came, so a long idle gap is caught up in bounded steps.
local function trim_minutes(limit)
  local last = this_minute - DAY - 1
  local from = tonumber(redis.call('HGET', META, 'minutesTrimmed') or last - limit) + 1
  if from > last then return end
  local to = math.min(last, from + limit - 1)
  redis.call('HDEL', MINUTES, unpack(minute_fields(from, to)))
  redis.call('HSET', META, 'minutesTrimmed', to)
end
