-- What a call answered, kept for a caller that asks again since the reply was lost: what is asked
-- twice must not be claimed or settled twice. Calls that a holder has open at a time have different
-- seats, and the next call on a seat takes its room. Longer than a call is sent again.
local RECALL_MS = 600000

local function recall_key(holder, seat)
  return base .. ':call:' .. holder .. ':' .. seat
end

-- The answer that was kept for this very call, nil the first time; and whether the call is late: a
-- later one has had its seat, so nobody waits for it, and it must not claim anything.
local function recall(key, call)
  local last = tonumber(string.match(redis.call('GETRANGE', key, 0, 16), '^%d+'))
  if not last or last < call then return nil, false end
  if last > call then return nil, true end
  local raw = redis.call('GET', key)
  return cmsgpack.unpack(string.sub(raw, string.find(raw, ' ', 1, true) + 1)), false
end

-- A settle that took effect has a code above 0 on every engine.
local function has_settled(codes)
  for _, code in ipairs(codes) do
    if code > 0 then return true end
  end
  return false
end

-- A call that was to claim is kept whatever it found: sent again, it may find more, and its first
-- sending may still be on its way. Where the memory is full it is carried out again.
local function keep_for_recall(key, call, answer)
  redis.pcall('SET', key, string.format('%.0f ', call) .. cmsgpack.pack(answer), 'PX', RECALL_MS)
end

local LATE = redis.error_reply('LATE a later call of this holder was here before')
