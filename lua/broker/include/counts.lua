-- Appends to a reply how many rows a queue has, set by set.
-- @include broker/keys
local function append_counts(reply, queue)
  for _, part in ipairs(PARTS) do
    reply[#reply + 1] = redis.call('ZCARD', key_of(queue, part))
  end
end
