-- Where the entries of a queue stand, and how one is written and read.
--
-- An entry has the field body; one that came back or came late has more:
-- headers (JSON), id and since (of the message, where the entry's own id does not tell them),
-- attempt (runs spent before this entry) and group (the only one that it is for).
-- @include bell
local STREAM, DELAYED, DEAD, META = base .. ':stream', base .. ':delayed', base .. ':dead', base .. ':meta'

-- What is given back at once is pending for this name, which no consumer has, and long idle.
local POOL = 'released'

local function encoded(name)
  return (string.gsub(name, '[%%{}]', { ['%'] = '%25', ['{'] = '%7B', ['}'] = '%7D' }))
end

-- Hash id -> how often it was given back: the delivery count goes down then, so a token needs more.
local function releases_key(group_name)
  return base .. ':releases:' .. encoded(group_name)
end

local function group_bell(group_name)
  return base .. ':signal:' .. encoded(group_name)
end

local function number_text(number)
  return string.format('%.0f', number)
end

-- Appends to the stream; answers the entry's id, or an error where the memory is full.
local function add_entry(message)
  local args = { 'body', message.body }
  local function with(name, value)
    args[#args + 1] = name
    args[#args + 1] = value
  end
  if message.headers ~= '' then with('headers', message.headers) end
  if message.id ~= '' then with('id', message.id) end
  if message.since > 0 then with('since', number_text(message.since)) end
  if message.attempt > 0 then with('attempt', number_text(message.attempt)) end
  if message.group ~= '' then with('group', message.group) end
  return redis.pcall('XADD', STREAM, '*', unpack(args))
end

local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
  end
  return fields
end

-- The message of an entry. What others wrote may have no body: its fields are kept as JSON then.
local function message_of(entry_id, flat)
  local fields = fields_of(flat)
  return {
    entry_id = entry_id,
    body = fields.body or cjson.encode(flat),
    headers = fields.headers or '',
    id = fields.id or entry_id,
    since = tonumber(fields.since or string.match(entry_id, '^%d+')) or 0,
    attempt = tonumber(fields.attempt or 0) or 0,
  }
end

local function read_message(entry_id)
  local entry = redis.call('XRANGE', STREAM, entry_id, entry_id)[1]
  return entry and message_of(entry_id, entry[2])
end

local function is_error(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

-- Counters are no reason to fail: where the memory is full they stand still.
local function count_up(counter, by)
  redis.pcall('HINCRBY', META, counter, by)
end
