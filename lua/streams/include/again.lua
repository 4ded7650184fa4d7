-- A settle call that is sent again, since its reply was lost.

-- The fields of an entry that is still held, whose lease begins anew; none for any other.
local function held_fields(id, token)
  if not is_held(id, token) then return {} end
  local entry = redis.call('XRANGE', STREAM, id, id)[1]
  if not entry then return {} end -- deleted meanwhile: a take-over will find that out
  redis.call('XCLAIM', STREAM, group, consumer, 0, id, 'JUSTID')
  return entry[2]
end

-- Entries that are held no more come without fields. What is due next was not kept, so the caller is
-- to look again at once.
local function answer_again(codes, fence, claims, ids)
  local taken, fresh = {}, {}
  for i, claim in ipairs(claims) do
    local id, count, releases = unpack(claim)
    taken[i] = { id, held_fields(id, count .. '.' .. releases), count, releases }
  end
  for i, id in ipairs(ids) do
    fresh[i] = { id, held_fields(id, '1.0') }
  end
  return { codes, number_text(fence), taken, fresh, 0, '', {}, 0 }
end
