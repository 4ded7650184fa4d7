-- A list entry: cmsgpack of id, time of arrival, headers and payload. Only the first two are ever
-- decoded here; payload and headers are bytes.
local function pack_frame(id, headers, payload)
  return cmsgpack.pack(id, now, headers, payload)
end

-- An entry that somebody damaged has no id.
local function id_of(frame)
  local ok, _, id = pcall(cmsgpack.unpack_one, frame)
  return ok and type(id) == 'string' and id or nil
end

local function time_of(frame)
  local ok, _, _, since = pcall(cmsgpack.unpack_limit, frame, 2)
  return ok and tonumber(since) or nil
end
