-- A page of all unread messages of the namespace by id, whatever queue they are in, strictly between
-- two bounds. In one step, so what is moved between two pages is in one of them and not in both;
-- linear in the queues, and so larger than `limit` where there are thousands. Answers the last id it
-- looked at ('' for none), then (queue, id, body) a message.
local base = KEYS[1]
local after, before, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
-- @include broker/select

local UNREAD, AHEAD = { 'pending', 'postponed', 'reserved' }, 50
local wanted = bounds_of('', after, before, 'oldest')
local runs = {} -- by their next id; a run goes through one set

local function begin_run(queue, key)
  local ids = ids_in(key, wanted, 1)
  if ids[1] then runs[ids[1]] = { queue = queue, key = key, ids = ids, at = 1 } end
end

-- Most sets do not exist: a chunk of them is asked for together.
local function begin_runs(part)
  local queues = redis.call('SMEMBERS', QUEUES)
  each_chunk(queues, function(from, to)
    local keys = {}
    for i = from, to do
      keys[#keys + 1] = key_of(queues[i], part)
    end
    if redis.call('EXISTS', unpack(keys)) == 0 then return end
    for i, key in ipairs(keys) do
      begin_run(queues[from + i - 1], key)
    end
  end)
end

-- The next ids of all runs, as far as a page of so many may need them, the smallest last.
local function next_ids()
  local ids, heads = {}, {}
  for id in pairs(runs) do
    ids[#ids + 1] = id
  end
  table.sort(ids)
  local size = math.floor(math.max(limit, #ids / 4))
  for i = math.min(#ids, size), 1, -1 do
    heads[#heads + 1] = ids[i]
  end
  return heads, size
end

-- Puts the next id of a run in its place, by halving, unless the `left` before it are enough.
local function put(heads, id, left)
  local low, high = 1, #heads + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if id > heads[middle] then high = middle else low = middle + 1 end
  end
  if #heads - low + 1 < left then table.insert(heads, low, id) end
end

for _, part in ipairs(UNREAD) do
  begin_runs(part)
end
local heads, left = next_ids()
local rows, last, bytes = {}, '', 0
while left > 0 and #heads > 0 and bytes <= MAX_BYTES do
  last, left = table.remove(heads), left - 1
  local run, body = runs[last], redis.call('HGET', BODIES, last)
  if body then
    bytes = bytes + #body
    rows[#rows + 1], rows[#rows + 2], rows[#rows + 3] = run.queue, last, body
  end
  run.at = run.at + 1
  if not run.ids[run.at] then run.ids, run.at = ids_in(run.key, past(wanted, last), AHEAD), 1 end
  local id = run.ids[run.at]
  if id then
    runs[id] = run
    put(heads, id, left)
  end
end
return { last, rows }
