-- Removes one message of a group: looks at a page of entries, `skip` of them from the tail, since
-- entries leave at the head meanwhile and a walk from there could miss some.
-- Answers -1 not there, -2 removed, else the next skip. A lease on the message is void.
local base = KEYS[1]
local group, id, skip, page = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
-- @include clock
-- @include groups/state
-- @include groups/frame

-- The place of the message, counted from the head.
local function find(length)
  local frames = redis.call('LRANGE', QUEUE .. group, math.max(0, length - skip - page), length - skip - 1)
  for i, frame in ipairs(frames) do
    if id_of(frame) == id then return length - skip - #frames + i - 1 end
  end
  return nil
end

local function take_out(place_in_list, length)
  if place_in_list == 0 then return redis.call('LTRIM', QUEUE .. group, 1, -1) end
  local mark = '\0removed ' .. token_text(now_us)
  redis.call('LSET', QUEUE .. group, place_in_list, mark)
  redis.call('LREM', QUEUE .. group, place_in_list * 2 < length and 1 or -1, mark)
end

-- A lease or a retry that is about the message ends with it; the group goes on at once. Of a batch
-- whose head runs only what stands from the message on is lost: the head must not run twice.
local function let_go(place_in_list)
  local lock = read_lock(group)
  local parked = is_parked(group)
  if place_in_list == 0 then redis.call('HDEL', TRIES, group) end
  if not lock or place_in_list >= (parked and 1 or lock.size - lock.done) then return false end
  if place_in_list > 0 then
    lock.size, lock.is_cut = lock.done + place_in_list, true
    redis.call('SET', LOCK .. group, lock_value(lock), 'KEEPTTL')
    return false
  end
  redis.call('DEL', LOCK .. group)
  if parked then redis.call('ZREM', PARKED, group) end
  return true
end

local length = redis.call('LLEN', QUEUE .. group)
if skip >= length then return -1 end
local place_in_list = find(length)
if not place_in_list then return skip + page >= length and -1 or skip + page end
take_out(place_in_list, length)
local is_freed = let_go(place_in_list)
backlog_change = backlog_change - 1
write_backlog()
if length == 1 then
  forget(group, tier_of(group))
elseif is_freed then
  place(group, tier_of(group), now)
  ring_bell()
end
return -2
