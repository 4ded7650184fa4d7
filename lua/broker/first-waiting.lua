-- Answers the id of the first message of a queue that waits, beyond a bound ('' for none), '' when
-- there is none; no body is read. Ids without a body are passed over, 1,600 of them at most.
local base = KEYS[1]
local name, after, order = ARGV[1], ARGV[2], ARGV[3]
-- @include broker/space
-- @include broker/holds
-- @include broker/select

local WINDOW = 100
local queue = resolve(name)
if not queue then return unknown_alias(name) end
if SPACE.is_ready and not has_recovered(queue) then return AGAIN end
local wanted = bounds_of('', after, '', order)
for _ = 1, MAX_WINDOWS do
  local ids = ids_in(key_of(queue, 'pending'), wanted, WINDOW)
  for _, id in ipairs(ids) do
    if redis.call('HEXISTS', BODIES, id) == 1 then return id end
  end
  if #ids < WINDOW then return '' end
  wanted = past(wanted, ids[#ids])
end
return ''
