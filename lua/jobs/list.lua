-- A page of one status: pending and scheduled in claim order, the others newest first; it begins
-- at `offset`, or behind the job that `after_score` and `after_member` name (gone or not).
-- With a type, a status other than pending is filtered within the page, and the caller walks on:
-- the first `skip` matches are passed over, and `show_at_most` are shown.
-- Answers the size of the status (of the type, for pending), the jobs, score and member of the last
-- one for the next page, and how many entries were looked at (those without a record among them)
-- and matched.
local base = KEYS[1]
local status, name = ARGV[1], ARGV[2]
local offset, limit = tonumber(ARGV[3]), tonumber(ARGV[4])
local after_score, after_member = ARGV[5], ARGV[6]
local skip, show_at_most = tonumber(ARGV[7]), tonumber(ARGV[8])
-- @include clock
-- @include jobs/places
-- @include jobs/show
-- @include jobs/pending-page
if status == PENDING then
  local names = name ~= '' and { name } or redis.call('ZRANGE', TYPES, 0, -1)
  if after_score ~= '' then offset = count_up_to(names, after_score) end
  local total, ids = pending_page(names, offset, limit)
  return { total, show_all(ids), score_of_last(names, ids), '', #ids, #ids }
end

local place, up = PLACE[status], status == SCHEDULED
if after_score ~= '' then
  local rank = redis.call(up and 'ZRANK' or 'ZREVRANK', place, after_member)
  local passed = up and { '-inf', '(' .. after_score } or { '(' .. after_score, '+inf' }
  offset = rank and rank + 1 or redis.call('ZCOUNT', place, unpack(passed))
end
local members = limit > 0 and redis.call(up and 'ZRANGE' or 'ZREVRANGE', place, offset, offset + limit - 1) or {}
local ids, matched = {}, 0
for _, member in ipairs(members) do
  local id = up and string.sub(member, 17) or member
  local data = name ~= '' and redis.call('HGET', DATA, id)
  if name == '' or data and parse_data(data).type == name then
    matched = matched + 1
    if matched > skip and #ids < show_at_most then ids[#ids + 1] = id end
  end
end
local last = members[#members] or ''
local score = last ~= '' and redis.call('ZSCORE', place, last) or ''
return { redis.call('ZCARD', place), show_all(ids), score, last, #members, matched }
