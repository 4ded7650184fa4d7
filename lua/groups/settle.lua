-- Settles what ended and claims what comes next, in one round trip.
-- The arguments after the named ones: `acks` times (group, token, done), `others` times
-- (verb, group, token, done, delay, reason). Verbs: last (an ack that gives back the rest of its
-- batch), retry, fail, release.
-- Answers: a code per settled one (1 settled, 2 settled, and what is left of the
-- lease is lost, 0 lease lost), then the claim: first fence, groups,
-- milliseconds until the next is due (-1: nothing known), and where fences do not follow one another
-- the first of each group. limit -1 claims nothing, 0 passes a ring on.
-- `exact`: each settle is about its own message alone, see the include.
-- `holder`, `seat` and `call` name this call: sent again under the same name, it answers the same.
local base = KEYS[1]
local acks, others, holder, seat, call = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local limit, lease_ms, batch, attempts = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local passes, keep_dead, keep_dead_ms = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
local exact = ARGV[13] == '1'
-- @include clock
-- @include groups/state
-- @include groups/settle
-- @include groups/acks
-- @include groups/claim
-- @include recall

if is_asked_again then
  -- @include groups/again
  return answer_again(recall())
end

local keep = { count = keep_dead, age_ms = keep_dead_ms }
local codes, is_woken, is_parked_now = {}, false, false
local function settle_one(group, token, run)
  run.lease_ms, run.attempts, run.keep, run.holder = lease_ms, attempts, keep, holder
  run.exact = exact
  codes[#codes + 1] = settle(group, token, run)
  is_woken, is_parked_now = is_woken or run.woken, is_parked_now or run.parked
end

local from = 14
local ended
ended, is_woken = end_leases(from, acks, exact)
for i = 1, acks do
  local at = from + i * 3 - 3
  if ended[i] then
    codes[i] = ended[i]
  else
    settle_one(ARGV[at], ARGV[at + 1], { verb = 'ack', done = tonumber(ARGV[at + 2]) })
  end
end
from = from + acks * 3
for i = from, from + others * 6 - 1, 6 do
  settle_one(ARGV[i + 1], ARGV[i + 2], {
    verb = ARGV[i], done = tonumber(ARGV[i + 3]), delay_ms = tonumber(ARGV[i + 4]), reason = ARGV[i + 5],
  })
end
write_history(holder, call)
local terms = { limit = limit, lease_ms = lease_ms, batch = batch, attempts = attempts, keep = keep }
local fence, taken = 0, {}
if limit >= 0 then
  fence, taken = claim(passes, terms)
end
write_backlog()
if limit > 0 or has_settled(codes) then
  local leases = {} -- as they were taken, with the number of their messages in place of these
  for i = 1, #taken, 4 do
    leases[i], leases[i + 1], leases[i + 2], leases[i + 3] = taken[i], taken[i + 1], taken[i + 2], #taken[i + 3]
  end
  keep_for_recall({ codes, fence, leases })
end
if limit < 0 then
  if is_woken or is_parked_now then ring_bell() end
elseif not terms.paused then
  -- a parked group is news for who sleeps until a later time, and due work must not be left unheard
  if is_parked_now or terms.may_leave_work and not is_rung() and has_due() then ring_bell() end
end
local next_in = (limit < 0 or terms.paused) and -1 or #taken > 0 and 0 or next_due_in(passes)
return { codes, token_text(fence), taken, next_in }
