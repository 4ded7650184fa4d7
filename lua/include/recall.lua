-- What a call answered, kept for a caller that asks again since the reply was lost: what is asked
-- twice must not be claimed or settled twice. `holder`, `seat` and `call` name the call: those that a
-- holder has open at a time have different seats, and the next call on a seat takes its room.
local RECALL_MS = 600000 -- longer than a call is sent again
local RECALL = base .. ':call:' .. holder .. ':' .. seat
local last_call = string.match(redis.call('GETRANGE', RECALL, 0, 16), '^%d+')
if last_call and tonumber(last_call) > tonumber(call) then
  -- late on its way: its seat has had a later call, so nobody waits for it, and it must claim nothing
  return redis.error_reply('LATE a later call of this holder was here before')
end
local is_asked_again = last_call == call

-- What was kept for this very call.
local function recall()
  local raw = redis.call('GET', RECALL)
  return unpack(cmsgpack.unpack(string.sub(raw, #call + 2)))
end

-- A call that was to claim is kept whatever it found: sent again, it may find more, and its first
-- sending may still be on its way. Where the memory is full it is carried out again.
local function keep_for_recall(answer)
  redis.pcall('SET', RECALL, call .. ' ' .. cmsgpack.pack(answer), 'PX', RECALL_MS)
end

-- A settle that took effect has a code above 0 on every engine.
local function has_settled(codes)
  for _, code in ipairs(codes) do
    if code > 0 then return true end
  end
  return false
end
