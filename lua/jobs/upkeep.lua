-- The periodic work of a queue in one call: promote what is due, recover what lapsed, trim what
-- is too old; each at most `limit` a call. Tells which claims were voided since `seen`.
-- Answers: whether something is left to do, milliseconds until the next due or lapse (-1: nothing
-- known), how far `seen` came, and the voided claims as 'reason fence id'.
local base = KEYS[1]
local limit, max_recoveries, seen = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local keep_done, keep_done_ms = ARGV[4], ARGV[5]
local keep_failed, keep_failed_ms = ARGV[6], ARGV[7]
local keep_cancelled, keep_cancelled_ms = ARGV[8], ARGV[9]
-- @include clock
-- @include jobs/places
-- @include jobs/finish
-- @include jobs/promote
-- @include jobs/recover
-- @include jobs/minutes

local REVOKED_TTL_MS = 60000
local MAX_VOIDED = 1000 -- more than one call can void in a millisecond, or `seen` would stand still
local keep = retention_of(keep_failed, keep_failed_ms)
local promoted = promote(limit, keep)
local _, lapsed = recover_lapsed(limit, { max_recoveries = max_recoveries, keep_failed = keep })
local trimmed = math.max(
  trim(DONE, retention_of(keep_done, keep_done_ms), limit),
  trim(FAILED, keep, limit),
  trim(CANCELLED, retention_of(keep_cancelled, keep_cancelled_ms), limit))
trim_minutes(limit)
redis.call('ZREMRANGEBYSCORE', REVOKED, '-inf', now - REVOKED_TTL_MS)
local rows = redis.call('ZRANGEBYSCORE', REVOKED, seen, '+inf', 'WITHSCORES', 'LIMIT', 0, MAX_VOIDED)
local voided = {}
for i = 1, #rows, 2 do
  voided[#voided + 1] = rows[i]
end
local seen_to = #voided == MAX_VOIDED and tonumber(rows[#rows]) or now

local lease_end = redis.call('ZRANGE', PLACE[RUNNING], 0, 0, 'WITHSCORES')[2]
local due_in = next_due_in()
local lapse_in = lease_end and math.max(0, lease_end - now) or -1
local next_in = due_in < 0 and lapse_in or lapse_in < 0 and due_in or math.min(due_in, lapse_in)
local is_full = promoted == limit or lapsed == limit or trimmed == limit
return { is_full and 1 or 0, next_in, seen_to, voided }
