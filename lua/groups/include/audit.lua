-- The list and the tier of a group tell the same as everything else about it; where they do not,
-- the list rules.
local PAGE = 100

local function finding(report, problem, subject)
  report.findings[#report.findings + 1] = problem
  report.findings[#report.findings + 1] = subject
end

-- The tiers in which a group stands.
local function places_of(group)
  local places = {}
  for tier = 0, TOP_TIER do
    if redis.call('ZSCORE', READY .. tier, group) then places[#places + 1] = tostring(tier) end
  end
  return places
end

local function put_in_place(group, tier)
  for other = 0, TOP_TIER do
    redis.call('ZREM', READY .. other, group)
  end
  local left = math.max(0, redis.call('PTTL', LOCK .. group))
  place(group, tier, left > 0 and now + left + 1 or now)
  ring_bell()
end

local function is_in_place(group, tier)
  local places = places_of(group)
  if is_paused(group) then return #places == 0 and redis.call('HGET', PAUSED, group) ~= '' end
  return #places == 1 and places[1] == tier
end

local function audit_prio(report, group, tier)
  local length = redis.pcall('LLEN', QUEUE .. group)
  length = type(length) == 'number' and length or 0 -- a key of another type holds no message
  report.messages = report.messages + length
  if length == 0 then
    finding(report, 'group without messages', group)
    if report.repair then forget(group, tier) end
  elseif not is_in_place(group, tier) then
    finding(report, 'group not in its tier', group)
    if report.repair then put_in_place(group, tier) end
  end
end

local function audit_member(report, group, key)
  if redis.call('HEXISTS', PRIO, group) == 1 then return end
  finding(report, 'entry without a group', group)
  if not report.repair then return end
  if redis.call('EXISTS', QUEUE .. group) == 1 then
    redis.call('HSET', PRIO, group, '0') -- the next page over the groups puts it in place
  else
    redis.call(redis.call('TYPE', key).ok == 'hash' and 'HDEL' or 'ZREM', key, group)
  end
end

local function audit_letter(report, id, part)
  local is_dead = part == 'dead'
  local other = is_dead and redis.call('HEXISTS', base .. LETTERS, id) == 1
    or not is_dead and redis.call('ZSCORE', base .. DEAD, id)
  if other then return end
  finding(report, 'half a dead letter', id)
  if not report.repair then return end
  if is_dead then redis.call('ZREM', base .. DEAD, id) else redis.call('HDEL', base .. LETTERS, id) end
end

local function audit(part, tier, cursor, repair)
  local keys = {
    prio = PRIO, tries = TRIES, letters = base .. LETTERS,
    ready = READY .. tier, parked = PARKED, dead = base .. DEAD,
  }
  local key, report = keys[part], { findings = {}, messages = 0, repair = repair }
  local is_hash = part == 'prio' or part == 'tries' or part == 'letters'
  local page = redis.call(is_hash and 'HSCAN' or 'ZSCAN', key, cursor, 'COUNT', PAGE)
  for i = 1, #page[2], 2 do
    local name = page[2][i]
    if part == 'prio' then
      audit_prio(report, name, page[2][i + 1])
    elseif part == 'dead' or part == 'letters' then
      audit_letter(report, name, part)
    else
      audit_member(report, name, key)
    end
  end
  return { page[1], report.messages, report.findings }
end
