-- Settles what ended and claims what comes next, in one round trip.
-- The arguments after the named ones: `acks` times (id, token), `ended` times
-- (verb, id, token, delay, reason), then `mine` ids of own entries that do not run here.
-- A limit below 0 claims nothing, 0 only passes a ring of the bell on. A cursor ('' not now) says
-- from where on lapsed entries are taken over. `adopted` entries came by a blocking read: they
-- get their fences. `holder`, `seat` and `call` name this call: sent again under the same name, it
-- answers the same.
-- Answers: a code per settled entry (1 settled, 0 lease lost, -2 refused by the server), the first
-- fence, entries taken over as (id, fields, delivery count, releases), new entries as (id, fields),
-- milliseconds until the next is due (0 where something came), where to go on taking over, own lapsed
-- entries, and whether the group had to be made again.
local base = KEYS[1]
local group, consumer = ARGV[1], ARGV[2]
local acks, ended, adopted, mine = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local limit, cursor, lease_ms = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])
local max_deliveries, max_attempts, dead_max_len = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local holder, seat, call = ARGV[13], ARGV[14], ARGV[15]
-- @include clock
-- @include streams/places
-- @include streams/delayed
-- @include streams/hold
-- @include streams/dead
-- @include streams/settle
-- @include streams/take-over
-- @include streams/claim
-- @include recall
local PROMOTE_LIMIT = 100

-- Names of what was handed out: what the entries are, the stream tells again.
local function ids_of(entries)
  local ids = {}
  for i, entry in ipairs(entries) do
    ids[i] = entry[1]
  end
  return ids
end

local function claims_of(entries)
  local claims = {}
  for i, entry in ipairs(entries) do
    claims[i] = { entry[1], entry[3], entry[4] }
  end
  return claims
end

if is_asked_again then
  -- @include streams/again
  return answer_again(recall())
end

local codes, at = {}, 16
if acks > 0 then ack_all(codes, at, acks) end
at = at + acks * 2
for i = at, at + ended * 5 - 1, 5 do
  codes[#codes + 1] = end_run({
    verb = ARGV[i], id = ARGV[i + 1], token = ARGV[i + 2],
    delay_ms = tonumber(ARGV[i + 3]), reason = ARGV[i + 4], dead_max_len = dead_max_len,
  })
end
at = at + ended * 5

if limit == 0 then
  if redis.call('EXISTS', DELAYED) == 1 then ring_one(base .. ':signal') end
  ring_one(group_bell(group))
end
local taken, fresh, own, next_in, healed = {}, {}, {}, -1, 0
if limit > 0 then
  local limits = {
    limit = limit, lease_ms = lease_ms, max_deliveries = max_deliveries,
    max_attempts = max_attempts, dead_max_len = dead_max_len,
  }
  promote(PROMOTE_LIMIT)
  if (mine > 0 or cursor ~= '') and is_group_there() then
    take_mine(at, mine, limits, taken)
    if cursor ~= '' then
      take_released(limits, taken)
      cursor = take_lapsed(cursor, limits, taken, own)
    end
  end
  healed = read_new(limit - #taken, fresh)
  next_in = #taken + #fresh > 0 and 0 or next_due_in()
end
local handed = #taken + #fresh + adopted
local fence = handed > 0 and next_fences(handed) or 0
if limit > 0 or has_settled(codes) then keep_for_recall({ codes, fence, claims_of(taken), ids_of(fresh) }) end
return { codes, number_text(fence), taken, fresh, next_in, cursor, own, healed }
