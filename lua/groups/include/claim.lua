-- Takes the groups that were served longest ago: O(log N + K) a tier, never a scan.
-- @include groups/letters
-- @include groups/rate
-- @include groups/windows
-- @include groups/scores
local MAX_ROUNDS = 10 -- a claim ends even where groups that cannot be used pile up
local EXTRA_WINDOW = 8
local MAX_BYTES = 4194304 -- a reply that is larger than this takes no further message
local NO_ATTEMPT_LEFT = 'no attempt is left, and the last one did not settle the message'

-- A due group whose lock lives on (the clock went back) would stand in the way of the others.
local function set_behind_lock(one)
  local left = redis.call('PTTL', LOCK .. one.group)
  redis.call('ZADD', READY .. one.tier, now + math.max(left, 0) + 1, one.group)
end

local function hold_back(one, free_in)
  redis.call('ZADD', READY .. one.tier, now + free_in, one.group)
  mark_parked(one.group, now + free_in)
end

-- The first messages of a group, as far as the reply does not grow too large. A key that is no list
-- counts as a group without messages: it must not stop the claim.
local function read_heads(group, count, taken)
  local frames = redis.pcall('LRANGE', QUEUE .. group, 0, count - 1)
  if frames.err then return {} end
  for i, frame in ipairs(frames) do
    if i > 1 and taken.bytes + #frame > MAX_BYTES then return { unpack(frames, 1, i - 1) } end
    taken.bytes = taken.bytes + #frame
  end
  return frames
end

-- Puts the group under a lease, with the frames that were read; nil when somebody holds it after all.
local function lease(one, taken, terms)
  local group, size, attempt = one.group, #one.frames, one.tries + 1
  local value = lock_value({ token = token_text(taken.fence), done = 0, size = size })
  if not redis.call('SET', LOCK .. group, value, 'NX', 'PX', terms.lease_ms) then return nil end
  add_score(taken.scores, one.tier, now + terms.lease_ms + 1, group)
  local tries = taken.tries
  tries[#tries + 1] = group
  tries[#tries + 1] = attempt
  if has_parked() then redis.call('ZREM', PARKED, group) end
  taken.fence = taken.fence + size
  taken.count = taken.count + 1
  local flat = taken.flat
  flat[#flat + 1] = group
  flat[#flat + 1] = one.tier
  flat[#flat + 1] = attempt
  flat[#flat + 1] = one.frames
  return true
end

-- Takes one due group, or moves it out of the way of the others.
local function take(one, taken, terms)
  local group = one.group
  -- one that is held has begun an attempt, so the others need not be asked twice
  if one.tries > 0 and redis.call('EXISTS', LOCK .. group) == 1 then return set_behind_lock(one) end
  local allowed = terms.any_limit and allowance(group, terms.default_rule) or nil
  if allowed and allowed.left <= 0 then return hold_back(one, allowed.free_in) end
  if terms.attempts > 0 and one.tries >= terms.attempts then
    dead_letter_head(group, NO_ATTEMPT_LEFT, terms.keep)
    one.tries = 0
  end
  -- a head that failed or crashed comes alone: the crash of one behind it must not count against it
  local count = one.tries > 0 and 1 or terms.batch
  if allowed then count = math.min(count, allowed.left) end
  one.frames = read_heads(group, count, taken)
  if #one.frames == 0 then return forget(group, one.tier) end
  if not lease(one, taken, terms) then return set_behind_lock(one) end
  if allowed then use(group, #one.frames, allowed.ms) end
end

local function is_filled(taken, terms)
  return taken.count >= terms.limit or taken.bytes >= MAX_BYTES
end

local function write_taken(taken)
  write_scores(taken.scores)
  if #taken.tries > 0 then redis.call('HSET', TRIES, unpack(taken.tries)) end
  taken.scores, taken.tries = {}, {}
end

local function take_from(windows, taken, terms)
  while not is_filled(taken, terms) do
    local chosen, names = next_groups(windows, terms.limit - taken.count)
    if #chosen == 0 then return end
    local tries = redis.call('HMGET', TRIES, unpack(names))
    for i, one in ipairs(chosen) do
      one.tries = tonumber(tries[i]) or 0
      if not is_filled(taken, terms) then take(one, taken, terms) end
    end
    write_taken(taken)
  end
end

-- Looks again while groups that cannot be used filled the window: each look has moved them away.
local function take_pass(tiers, taken, terms)
  for round = 1, MAX_ROUNDS do
    local wanted = terms.limit - taken.count
    local window = round == 1 and wanted or wanted + EXTRA_WINDOW
    local windows, is_full = oldest_groups(tiers, window)
    take_from(windows, taken, terms)
    if not is_full or is_filled(taken, terms) then return end
  end
end

-- Fences outgrow the clock, so they still grow after a drain or a loss of data.
local function first_fence(last)
  return math.max((tonumber(last) or 0) + 1, now_us)
end

-- Answers the first fence and (group, tier, attempt, frames) a group; fences follow one another.
-- `passes` are sets of tiers, each tried when those before it left something wanted: '34 01234'.
local function claim(passes, terms)
  local meta = redis.call('HMGET', META, 'paused', 'limited', 'limit')
  local fence_key = base .. ':fence'
  local fence = first_fence(redis.call('GET', fence_key))
  local taken = { fence = fence, count = 0, bytes = 0, flat = {}, scores = {}, tries = {} }
  terms.paused = meta[1]
  if meta[1] then return fence, taken.flat end
  terms.any_limit, terms.default_rule = meta[2], meta[3]
  for tiers in string.gmatch(passes, '%d+') do
    if not is_filled(taken, terms) then take_pass(tiers, taken, terms) end
  end
  -- every due group was looked at unless the claim was filled before, or kept away from low tiers
  terms.may_leave_work = is_filled(taken, terms) or not string.find(passes, '0', 1, true)
  if taken.count > 0 then redis.call('SET', fence_key, taken.fence - 1) end
  return fence, taken.flat
end

-- Whether something is claimable in any tier.
local function has_due()
  for tier = 0, TOP_TIER do
    if redis.call('ZRANGEBYSCORE', READY .. tier, '-inf', now, 'LIMIT', 0, 1)[1] then return true end
  end
  return false
end

-- Milliseconds until a group of these tiers is due; -1 when there is none.
local function next_due_in(passes)
  local earliest
  for tier in string.gmatch(passes, '%d') do
    local head = redis.call('ZRANGE', READY .. tier, 0, 0, 'WITHSCORES')
    local score = tonumber(head[2])
    if score and (not earliest or score < earliest) then earliest = score end
  end
  return earliest and math.max(0, earliest - now) or -1
end
