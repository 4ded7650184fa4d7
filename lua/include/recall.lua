-- What a call answered, for as long as its caller may ask again since the reply was lost: what is
-- asked twice must not be claimed or settled twice. A holder has few calls open; each has a seat, and
-- the holder's next call on that seat takes its room.
local RECALL_MS = 60000

local function recall_key(holder, seat)
  return base .. ':call:' .. holder .. ':' .. seat
end

-- The answer that was kept for this very call; nil the first time.
local function recall(key, call)
  if redis.call('GETRANGE', key, 0, #call) ~= call .. ' ' then return nil end
  return cmsgpack.unpack(string.sub(redis.call('GET', key), #call + 2))
end

-- A call that settled and claimed nothing may simply be carried out again. (The code of a settle that
-- took effect is 1 on every engine.)
local function has_changed_anything(codes, taken)
  for _, code in ipairs(codes) do
    if code == 1 then return true end
  end
  return #taken > 0
end

local function keep_for_recall(key, call, answer)
  redis.call('SET', key, call .. ' ' .. cmsgpack.pack(answer), 'PX', RECALL_MS)
end
