-- A place and the record tell the same; where they do not, the record rules.
local PAGE = 100
local OUT_OF_STEP = 'type out of step with its pending set'
local indexed = {}

local function finding(findings, problem, subject)
  findings[#findings + 1] = problem
  findings[#findings + 1] = subject
end

local function member_in(status, id, job)
  return status == SCHEDULED and scheduled_member(job.seq, id) or id
end

-- Every place in which the job stands, pending among them.
local function places_of(id, job)
  local places = {}
  if redis.call('ZSCORE', pending_key(job.type), id) then places[#places + 1] = PENDING end
  for _, status in ipairs({ SCHEDULED, RUNNING, DONE, FAILED, CANCELLED }) do
    if redis.call('ZSCORE', PLACE[status], member_in(status, id, job)) then places[#places + 1] = status end
  end
  return places
end

local function put_in_place(id, job, status, state)
  if status == PENDING then
    put_pending(id, job)
  elseif status == SCHEDULED then
    put_scheduled(id, job, now)
  else
    redis.call('ZADD', PLACE[status], status == RUNNING and now or state[SINCE], id)
  end
end

local function take_from(places, id, job)
  for _, status in ipairs(places) do
    if status == PENDING then
      redis.call('ZREM', pending_key(job.type), id)
      refresh_head(job.type)
    else
      redis.call('ZREM', PLACE[status], member_in(status, id, job))
    end
  end
end

-- A type that the index of types lacks is never claimed, and a walk over that index misses it.
local function audit_indexed(name, repair, findings)
  if indexed[name] or redis.call('ZSCORE', TYPES, name) then return end
  indexed[name] = true
  finding(findings, OUT_OF_STEP, name)
  if repair then refresh_head(name) end
end

local function audit_record(id, data, repair, findings)
  local job, state = parse_data(data), read_state(id)
  local places = places_of(id, job)
  local wanted = state and state[STATUS] or (places[1] == SCHEDULED and SCHEDULED or PENDING)
  if #places == 1 and places[1] == wanted then
    if wanted == PENDING then audit_indexed(job.type, repair, findings) end
    return
  end
  finding(findings, #places == 0 and 'job in no place' or 'job in a wrong place', id)
  if not repair then return end
  take_from(places, id, job)
  put_in_place(id, job, wanted, state)
end

local function keys_and_values(command, key, cursor)
  local page = redis.call(command, key, cursor, 'COUNT', PAGE)
  return page[1], page[2]
end

local AUDIT = {}

function AUDIT.records(_, cursor, repair)
  local findings = {}
  local next_cursor, rows = keys_and_values('HSCAN', DATA, cursor)
  for i = 1, #rows, 2 do
    audit_record(rows[i], rows[i + 1], repair, findings)
  end
  return { cursor = next_cursor, findings = findings }
end

-- What is wrong with an entry, as far as the walk over the records did not tell.
local function problem_of(index, entry, id)
  if index ~= SCHEDULED then return redis.call('HEXISTS', DATA, id) == 0 and 'entry without a job' end
  local data = redis.call('HGET', DATA, id)
  if not data then return 'entry without a job' end
  return entry ~= scheduled_member(parse_data(data).seq, id) and 'job in a wrong place'
end

-- `index` is a status, or 'state' or 'result' for the tables beside the records.
function AUDIT.index(index, cursor, repair)
  local findings = {}
  local is_table = index == 'state' or index == 'result'
  local key = is_table and base .. ':' .. index or PLACE[index]
  local next_cursor, rows = keys_and_values(is_table and 'HSCAN' or 'ZSCAN', key, cursor)
  for i = 1, #rows, 2 do
    local id = index == SCHEDULED and string.sub(rows[i], 17) or rows[i]
    local problem = problem_of(index, rows[i], id)
    if problem then
      finding(findings, problem, id)
      if repair then redis.call(is_table and 'HDEL' or 'ZREM', key, rows[i]) end
    end
  end
  return { cursor = next_cursor, findings = findings }
end

local function audit_pending(name, repair, findings)
  local head = redis.call('ZRANGE', pending_key(name), 0, 0, 'WITHSCORES')
  if head[2] and tonumber(head[2]) >= tonumber(redis.call('ZSCORE', TYPES, name)) then return end
  finding(findings, OUT_OF_STEP, name)
  if repair then refresh_head(name) end
end

function AUDIT.types(_, cursor, repair)
  local findings = {}
  local next_cursor, rows = keys_and_values('ZSCAN', TYPES, cursor)
  for i = 1, #rows, 2 do
    audit_pending(rows[i], repair, findings)
  end
  return { cursor = next_cursor, findings = findings }
end

function AUDIT.pending(name, cursor, repair)
  local findings = {}
  local next_cursor, rows = keys_and_values('ZSCAN', pending_key(name), cursor)
  for i = 1, #rows, 2 do
    local data = redis.call('HGET', DATA, rows[i])
    if not data or parse_data(data).type ~= name then
      finding(findings, data and 'job in a wrong place' or 'entry without a job', rows[i])
      if repair then
        redis.call('ZREM', pending_key(name), rows[i])
        refresh_head(name)
      end
    end
  end
  return { cursor = next_cursor, findings = findings }
end

function AUDIT.holders(_, cursor, repair)
  local findings = {}
  local next_cursor, rows = keys_and_values('HSCAN', HOLDERS, cursor)
  for i = 1, #rows, 2 do
    local data = redis.call('HGET', DATA, rows[i + 1])
    local state = read_state(rows[i + 1])
    local waits = data and (not state or state[STATUS] == PENDING or state[STATUS] == SCHEDULED)
    if not waits then
      finding(findings, 'coalescing key without a waiting job', rows[i])
      if repair then redis.call('HDEL', HOLDERS, rows[i]) end
    end
  end
  return { cursor = next_cursor, findings = findings }
end
