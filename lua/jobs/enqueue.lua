-- Takes in one job or many; all or, where a key or an id says so, none of each.
-- The arguments after the named ones: three a job, (id, head, payload). A head is
-- '<due>|<priority> <maxAttempts> <type>\n<coalesceBy>\n<headers>\n', due '' (now), '+<ms>' or '<epoch ms>'.
-- Answers 1 when every job is new, else a reply per job: 1 new, 0 its id exists, -1 too many
-- types, or the id of the job that absorbed it.
local base = KEYS[1]
local look_up_each, max_types = ARGV[1], tonumber(ARGV[2])
-- @include clock
-- @include jobs/places
-- @include jobs/enqueue

local jobs, replies, all_new = {}, {}, true
local batch = open_batch(look_up_each == '1', max_types)
for i = 3, #ARGV, 3 do
  local reply = admit(batch, { id = ARGV[i], head = parse_head(ARGV[i + 1]), payload = ARGV[i + 2] }, jobs)
  replies[#replies + 1] = reply
  all_new = all_new and reply == 1
end
if #jobs > 0 then write_jobs(jobs) end
return all_new and 1 or replies
