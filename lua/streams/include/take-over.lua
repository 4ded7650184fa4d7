-- Takes over what its holder left: pages of the pending list, the released first.
local PAGE, MAX_PAGES = 100, 10

local function is_doomed(message, count, limits)
  if limits.max_deliveries > 0 then return count > limits.max_deliveries end
  return limits.max_attempts > 0 and message.attempt + count >= limits.max_attempts
end

-- Ghosts were deleted while pending: Redis 7 leaves them out, 6.2 answers nil; they end here.
local function end_ghosts(ids, is_alive)
  local ghosts = {}
  for _, id in ipairs(ids) do
    if not is_alive[id] then ghosts[#ghosts + 1] = id end
  end
  if #ghosts == 0 then return end
  finish(ghosts)
  count_up('ghosts', #ghosts)
end

-- Counted by the server at each take-over, so that a message which kills its process is caught.
local function hand_over(entry, count, limits, taken)
  local message = message_of(entry[1], entry[2])
  if not is_doomed(message, count, limits) then
    taken[#taken + 1] = { entry[1], entry[2], count + 1, releases_of(entry[1]) }
    return
  end
  local letter = {
    reason = 'max_deliveries', attempts = message.attempt + count, error = '', max_len = limits.dead_max_len,
  }
  if not is_error(dead_letter(message, letter)) then finish({ entry[1] }) end
end

-- `rows` as XPENDING answers them: id, holder, idle time, delivery count.
local function claim_rows(rows, limits, taken)
  if #rows == 0 then return end
  local ids, counts, is_alive = {}, {}, {}
  for i, row in ipairs(rows) do
    ids[i] = row[1]
    counts[row[1]] = row[4]
  end
  local args = { STREAM, group, consumer, 0, unpack(ids) }
  local reply = redis.call('XCLAIM', unpack(args))
  for i = 1, #ids do
    local entry = reply[i]
    if entry and entry[2] then
      is_alive[entry[1]] = true
      hand_over(entry, counts[entry[1]], limits, taken)
    end
  end
  end_ghosts(ids, is_alive)
end

-- The name without a consumer goes with its last entry.
local function drop_empty_pool()
  if redis.call('XPENDING', STREAM, group, '-', '+', 1, POOL)[1] then return end
  redis.call('XGROUP', 'DELCONSUMER', STREAM, group, POOL)
end

local function take_released(limits, taken)
  for _ = 1, MAX_PAGES do
    local wanted = math.min(PAGE, limits.limit - #taken)
    local rows = wanted > 0 and redis.call('XPENDING', STREAM, group, '-', '+', wanted, POOL) or {}
    if #rows == 0 then return end
    claim_rows(rows, limits, taken)
    drop_empty_pool()
    if #rows < wanted then return end
  end
end

-- Own ones may still run here: only their holder knows, so they are named and not taken.
local function split_own(rows, own)
  local others = {}
  for _, row in ipairs(rows) do
    if row[2] == consumer then own[#own + 1] = row[1] else others[#others + 1] = row end
  end
  return others
end

-- Answers where to go on, '' at the end of the list.
local function take_lapsed(cursor, limits, taken, own)
  for _ = 1, MAX_PAGES do
    local wanted = math.min(PAGE, limits.limit - #taken)
    if wanted < 1 then return cursor end
    local rows = redis.call('XPENDING', STREAM, group, 'IDLE', limits.lease_ms, cursor, '+', wanted)
    claim_rows(split_own(rows, own), limits, taken)
    if #rows < wanted then return '' end
    cursor = '(' .. rows[#rows][1]
  end
  return cursor
end

-- Own entries that do not run here: their delivery was lost on its way.
local function take_mine(from, count, limits, taken)
  for i = from, from + count - 1 do
    if #taken >= limits.limit then return end
    local row = redis.call('XPENDING', STREAM, group, 'IDLE', limits.lease_ms, ARGV[i], ARGV[i], 1, consumer)[1]
    if row then claim_rows({ row }, limits, taken) end
  end
end
