-- A settle call that is sent again, since its reply was lost; `holder`, `seat` and `call` name it.
-- @include recall

-- `taken` without the frames: (group, tier, attempt, how many messages).
local function keep_answer(codes, fence, taken)
  if not has_changed_anything(codes, taken) then return end
  local leases = {}
  for i = 1, #taken, 4 do
    leases[i], leases[i + 1], leases[i + 2], leases[i + 3] = taken[i], taken[i + 1], taken[i + 2], #taken[i + 3]
  end
  keep_for_recall(recall_key(holder, seat), call, { codes, fence, leases })
end

-- The messages of a lease that nobody has touched since; its time begins anew.
local function untouched_frames(group, tier, token, size, lease_ms)
  local lock = read_lock(group)
  if not lock or lock.token ~= token or lock.done > 0 or lock.size ~= size or is_parked(group) then return nil end
  local frames = redis.call('LRANGE', QUEUE .. group, 0, size - 1)
  if #frames < size then return nil end
  redis.call('PEXPIRE', LOCK .. group, lease_ms)
  place(group, tier, now + lease_ms + 1)
  return frames
end

-- A lease that is over comes without frames, with how many it had in the place of the attempt.
local function answer_again(known, lease_ms)
  local codes, fence, leases = unpack(known)
  local taken, token = {}, fence
  for i = 1, #leases, 4 do
    local group, tier, attempt, size = unpack(leases, i, i + 3)
    local frames = untouched_frames(group, tier, token_text(token), size, lease_ms)
    taken[i], taken[i + 1], taken[i + 2], taken[i + 3] = group, tier, frames and attempt or size, frames or {}
    token = token + size
  end
  return { codes, token_text(fence), taken, -1 }
end
