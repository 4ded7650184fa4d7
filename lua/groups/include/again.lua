-- A settle call that is sent again, since its reply was lost.

-- The messages of a lease that nobody has touched since; its time begins anew.
local function untouched_frames(group, tier, token, size)
  local lock = read_lock(group)
  if not lock or lock.token ~= token or lock.done > 0 or lock.size ~= size or is_parked(group) then return nil end
  local frames = redis.call('LRANGE', QUEUE .. group, 0, size - 1)
  if #frames < size then return nil end
  if redis.call('PTTL', LOCK .. group) < lease_ms then -- not where it was prolonged beyond
    redis.call('PEXPIRE', LOCK .. group, lease_ms)
    place(group, tier, now + lease_ms + 1)
  end
  return frames
end

-- Leases that are over are left out, so each of the others comes with its own fence. What is due next
-- was not kept, so the caller is to look again at once.
local function answer_again(codes, fence, leases)
  local taken, fences, token = {}, {}, fence
  for i = 1, #leases, 4 do
    local group, tier, attempt, size = unpack(leases, i, i + 3)
    local frames = untouched_frames(group, tier, token_text(token), size)
    if frames then
      local n = #taken
      taken[n + 1], taken[n + 2], taken[n + 3], taken[n + 4] = group, tier, attempt, frames
      fences[#fences + 1] = token_text(token)
    end
    token = token + size
  end
  return { codes, token_text(fence), taken, 0, fences }
end
