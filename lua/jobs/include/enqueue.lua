-- Admission looks at everything first; only then is anything written.
local last_head, last_parsed

-- Jobs of one batch mostly share their head, so it is taken apart once.
local function parse_head(head)
  if head == last_head then return last_parsed end
  local due, kept = string.match(head, '^([^|]*)|(.*)$')
  local priority, name, key = string.match(kept, '^(-?%d+) %d+ ([^\n]*)\n([^\n]*)\n')
  local relative = string.match(due, '^%+(%d+)$')
  last_head = head
  last_parsed = {
    kept = kept,
    priority = tonumber(priority),
    type = name,
    key = key,
    due = relative and now + tonumber(relative) or tonumber(due) or 0,
  }
  return last_parsed
end

local function open_batch(look_up_each, max_types)
  return { look_up_each = look_up_each, types_left = max_types - redis.call('ZCARD', TYPES), types = {}, ids = {}, keys = {} }
end

-- A batch of plain jobs of one type is written whole or not at all, so one look tells whether this
-- very call was carried out before. Where ids are the caller's, jobs may be absorbed or types
-- differ (one may find no room), each is looked up.
local function is_known(batch, id)
  if batch.ids[id] then return true end
  if not batch.look_up_each and batch.all_known ~= nil then return batch.all_known end
  batch.all_known = redis.call('HEXISTS', DATA, id) == 1
  return batch.all_known
end

-- The job that holds the key and still waits; a key left behind by any other is free.
local function absorber(batch, key)
  if key == '' then return nil end
  if batch.keys[key] then return batch.keys[key] end
  local holder = redis.call('HGET', HOLDERS, key)
  if not holder or redis.call('HEXISTS', DATA, holder) == 0 then return nil end
  local state = read_state(holder)
  local waits = not state or state[STATUS] == PENDING or state[STATUS] == SCHEDULED
  return waits and holder or nil
end

local function has_room(batch, name)
  if batch.types[name] then return true end
  if not redis.call('ZSCORE', TYPES, name) then
    if batch.types_left <= 0 then return false end
    batch.types_left = batch.types_left - 1
  end
  batch.types[name] = true
  return true
end

local function admit(batch, job, admitted)
  if is_known(batch, job.id) then return 0 end
  local by = absorber(batch, job.head.key)
  if by then return by end
  if not has_room(batch, job.head.type) then return -1 end
  batch.ids[job.id] = true
  if job.head.key ~= '' then batch.keys[job.head.key] = job.id end
  admitted[#admitted + 1] = job
  return 1
end

-- Pending jobs of one type enter their set together: one ZADD a type, not one a job.
local function add_to_group(groups, name, score, id)
  local group = groups[name]
  if not group then
    group = { head = score, members = {} }
    groups[name] = group
  end
  group.head = math.min(group.head, score)
  group.members[#group.members + 1] = score
  group.members[#group.members + 1] = id
end

local function write_groups(groups)
  for name, group in pairs(groups) do
    redis.call('ZADD', pending_key(name), unpack(group.members))
    redis.call('ZADD', TYPES, 'LT', group.head, name)
    ring_type(name)
  end
end

local function write_jobs(jobs)
  local seq = redis.call('HINCRBY', META, 'seq', #jobs) - #jobs
  local records, groups = {}, {}
  for i, job in ipairs(jobs) do
    local head = job.head
    seq = seq + 1
    records[i * 2 - 1] = job.id
    records[i * 2] = seq .. ' ' .. now .. ' ' .. head.kept .. job.payload
    if head.key ~= '' then redis.call('HSET', HOLDERS, head.key, job.id) end
    local is_due = head.due <= now
    if not is_due then
      put_scheduled(job.id, { seq = seq, type = head.type }, head.due)
    else
      add_to_group(groups, head.type, score_of(head.priority, seq), job.id)
    end
    tell_if_on(is_due and 'waiting' or 'scheduled', job.id)
  end
  redis.call('HSET', DATA, unpack(records))
  write_groups(groups)
end
