-- The periodic work of a queue that is worked on: gives back what is due or lapsed, and trims dead
-- letters; each at most `limit`. Answers whether something is left, and until the next lapse.
local base = KEYS[1]
local queue, limit, keep_dead, keep_dead_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
-- @include broker/space
-- @include broker/holds

if not SPACE.is_ready then return { 0, -1 } end
if not is_sound(queue) then return wrong_type(queue) end
if not can_forget_messages() then return WRONG_NAMESPACE end
local dead = key_of(queue, 'dead')
local function surplus()
  local over = redis.call('ZCARD', dead) - keep_dead
  if over > 0 then return redis.call('ZRANGE', dead, 0, math.min(over, limit) - 1) end
  if keep_dead_ms == 0 then return {} end
  return redis.call('ZRANGEBYSCORE', dead, '-inf', now - keep_dead_ms, 'LIMIT', 0, limit)
end

local recovered = recover_lapsed(queue, limit, keep_dead)
local trimmed = drop_dead_rows(queue, surplus())
if trimmed > 0 then deregister_if_empty(queue) end
return { (recovered == limit or trimmed == limit) and 1 or 0, next_lapse_in(queue) }
