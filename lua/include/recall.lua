-- What a call answered, for as long as its caller may ask again since the reply was lost: what is
-- asked twice must not be claimed or settled twice. Kept under the place of the call, one of the few
-- that its holder has open, so that the holder's next call there takes its room.
local RECALL_MS = 60000

local function recall_key(place)
  return base .. ':call:' .. place
end

-- The answer that was kept for this very call; nil the first time.
local function recall(place, call)
  if redis.call('GETRANGE', recall_key(place), 0, #call) ~= call .. ' ' then return nil end
  return cmsgpack.unpack(string.sub(redis.call('GET', recall_key(place)), #call + 2))
end

local function keep_for_recall(place, call, answer)
  redis.call('SET', recall_key(place), call .. ' ' .. cmsgpack.pack(answer), 'PX', RECALL_MS)
end
