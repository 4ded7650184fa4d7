-- Ids are nanoseconds in 19 digits, made of two limbs: a Lua number cannot hold one whole.
-- @include clock
local LIMB = 1000000000
local MAX_HIGH, MAX_LOW = 9223372036, 854775807 -- 2^63 - 1

local function split_id(id)
  return tonumber(string.sub(id, 1, 10)), tonumber(string.sub(id, 11))
end

local function join_id(high, low)
  return string.format('%010.0f%09.0f', high, low)
end

-- Makes rising ids: the server's time, or the last one and 1 where that is higher.
local function id_source(last)
  local high, low = split_id(last)
  local now_high, now_low = tonumber(time[1]), time[2] * 1000
  return function()
    if high < now_high or (high == now_high and low < now_low) then
      high, low = now_high, now_low
    else
      low = low + 1
      if low == LIMB then high, low = high + 1, 0 end
    end
    return join_id(high, low)
  end
end

local function has_room(last, count)
  local high, low = split_id(last)
  return high < MAX_HIGH or low + count <= MAX_LOW
end

local NO_ROOM = redis.error_reply('TIMESTAMP there are no message ids left above the last one')

local function now_id()
  return join_id(tonumber(time[1]), time[2] * 1000)
end
