-- Settling: only by the holder, so that a double or late settle changes nothing.
local LOST, SETTLED, REFUSED = 0, 1, -2

local function ack_all(codes, from, count)
  local held = {}
  local is_mine = count > 2 and hold_finder(count) or is_held
  for i = from, from + count * 2 - 1, 2 do
    local code = is_mine(ARGV[i], ARGV[i + 1]) and SETTLED or LOST
    if code == SETTLED then held[#held + 1] = ARGV[i] end
    codes[#codes + 1] = code
  end
  finish(held)
end

-- Given back without a run spent: idle at once, its count taken back, for whoever looks next.
local function release(run)
  if is_error(redis.pcall('HINCRBY', RELEASES, run.id, 1)) then return REFUSED end
  has_releases = true
  redis.call('PEXPIRE', RELEASES, 2592000000) -- what never is settled must not pile up
  redis.call('XCLAIM', STREAM, group, POOL, 0, run.id, 'IDLE', now - 1, 'RETRYCOUNT', run.count - 1, 'JUSTID')
  ring_one(group_bell(group))
  return SETTLED
end

-- Back of the stream, now or when the delay is over, for this group alone.
local function requeue(message, run)
  message.group = group
  message.attempt = message.attempt + run.count - (run.verb == 'postpone' and 1 or 0)
  if run.delay_ms > 0 then return put_delayed(message, now + run.delay_ms) end
  return add_entry(message)
end

-- A run that did not end well: fail, retry, postpone (the run is not spent) or release.
-- What the server refuses to store stays pending.
local function end_run(run)
  if not is_held(run.id, run.token) then return LOST end
  run.count = tonumber(string.match(run.token, '^%d+'))
  if run.verb == 'release' then return release(run) end
  local message = read_message(run.id)
  if not message then
    count_up('ghosts', 1) -- deleted meanwhile: there is nothing to bring back
  else
    local attempts = message.attempt + run.count
    local reply = run.verb == 'fail'
      and dead_letter(message, { reason = 'rejected', attempts = attempts, error = run.reason, max_len = run.dead_max_len })
      or run.verb ~= 'fail' and requeue(message, run)
    if is_error(reply) then return REFUSED end
  end
  finish({ run.id })
  return SETTLED
end
