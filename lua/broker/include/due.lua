-- What is due or lapsed, as looks tell of it that change nothing: it waits, though nobody has given
-- it back yet.
-- @include broker/holds

-- Whether a postponed or reserved row waits in truth; a spent one will be a dead letter.
local function is_due(queue, id)
  return not is_held(queue, id) and not is_spent(read_run(id))
end

-- How many of the postponed rows do, and how many of the reserved ones. A count where nothing is
-- reserved, else linear in what is due.
local function count_due(queue)
  local due = redis.call('ZCOUNT', key_of(queue, 'leases'), '-inf', now)
  if due == 0 or redis.call('EXISTS', key_of(queue, 'reserved')) == 0 then return due, 0 end
  local postponed, reserved = 0, 0
  each_lapsed(queue, function(id)
    if not is_reserved(queue, id) then
      postponed = postponed + 1
    elseif not is_spent(read_run(id)) then
      reserved = reserved + 1
    end
  end)
  return postponed, reserved
end
