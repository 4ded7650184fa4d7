-- Settles what handlers held and takes what comes next under lease, in one round trip.
-- The arguments after the named ones: (verb, id, fence, delay, reason) each; verbs: ack, retry,
-- fail, release. Answers a code each (1 settled, 0 lease lost), the first fence, then (id, body,
-- attempt) a taken message, and milliseconds until the next is due.
local base = KEYS[1]
local queue, limit, lease_ms, attempts = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local keep_dead = tonumber(ARGV[5])
-- @include broker/space
-- @include broker/holds
-- @include broker/select
-- @include broker/settle

if not SPACE.is_ready then return NOT_READY end
local codes, verbs = {}, { claim = limit > 0 or nil }
for i = 6, #ARGV, 5 do
  verbs[ARGV[i]] = true
end
if not can_write(queue, verbs) then return wrong_type(queue) end
if not can_take_messages() then return WRONG_NAMESPACE end
for i = 6, #ARGV, 5 do
  codes[#codes + 1] = settle(queue, ARGV[i + 1], {
    verb = ARGV[i], fence = ARGV[i + 2], delay_ms = tonumber(ARGV[i + 3]), reason = ARGV[i + 4], keep = keep_dead,
  })
end
if limit < 1 then return { codes, '0', {}, -1 } end
-- what is left over may be older than what is given back now: the loop asks again at once
if recover_lapsed(queue, CHUNK, keep_dead) == CHUNK then return { codes, '0', {}, 0 } end
local fence, taken = hold(queue, { limit = limit, lease_end = now + lease_ms, attempts = attempts })
return { codes, fence, taken, #taken > 0 and 0 or next_lapse_in(queue) }
