-- Appends to a reply how many rows a queue has: pending, postponed, reserved, claimed, dead; what is
-- due or lapsed counts as pending.
-- @include broker/due
local function append_counts(reply, queue)
  local first = #reply
  for _, part in ipairs(PARTS) do
    reply[#reply + 1] = redis.call('ZCARD', key_of(queue, part))
  end
  local postponed, reserved = count_due(queue)
  reply[first + 1] = reply[first + 1] + postponed + reserved
  reply[first + 2] = reply[first + 2] - postponed
  reply[first + 3] = reply[first + 3] - reserved
end
