-- Settles what ended and claims what comes next, in one round trip.
-- The arguments after the named ones: `done` times (id, fence, result), `ended` times
-- (verb, id, fence, delay, reason), then the wanted types. Verbs: retry, fail, release.
-- `holder`, `seat` and `call` name this call: sent again under the same name, it answers the same.
-- Answers: a code per settled job (1 settled, 0 lease lost, -1 cancelled), then the claim.
local base = KEYS[1]
local done, ended = tonumber(ARGV[1]), tonumber(ARGV[2])
local limit, lease_ms, attempts = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local keep_done, keep_failed, keep_failed_ms = tonumber(ARGV[6]), ARGV[7], ARGV[8]
local holder, seat, call = ARGV[9], ARGV[10], ARGV[11]
-- @include clock
-- @include jobs/places
-- @include jobs/finish
-- @include jobs/claim
-- @include jobs/settle
-- @include recall

if is_asked_again then
  -- @include jobs/again
  return answer_again(recall())
end

local keep = retention_of(keep_failed, keep_failed_ms)
local codes = {}
if done > 0 then ack_all(codes, 12, done, keep_done) end
local from = 12 + done * 3
for i = from, from + ended * 5 - 1, 5 do
  codes[#codes + 1] = end_run(ARGV[i + 1], ARGV[i + 2], {
    verb = ARGV[i], delay_ms = tonumber(ARGV[i + 3]), reason = ARGV[i + 4], keep_failed = keep,
  })
end

local types = {}
for i = from + ended * 5, #ARGV do
  types[#types + 1] = ARGV[i]
end
local fence, taken = 0, {}
if limit >= 0 then
  fence, taken = claim({
    limit = limit, lease_ms = lease_ms, attempts = attempts, types = types, keep_failed = keep,
  })
end
if limit > 0 or has_settled(codes) then
  local ids = {}
  for i = 1, #taken, 3 do
    ids[#ids + 1] = taken[i]
  end
  keep_for_recall({ codes, fence, ids })
end
local next_in = limit < 0 and -1 or #taken > 0 and 0 or next_due_in()
return { codes, string.format('%.0f', fence), taken, next_in }
