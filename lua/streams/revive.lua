-- Looks at a page of dead letters, newest first from the cursor on, for the message of an id (and,
-- where one is named, of a group), and takes it out: for good, or to publish it again to the group
-- that gave it up. Answers 'done', the cursor of the next page, or '' when there is no such letter.
local base = KEYS[1]
local id, wanted_group, again, cursor = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4]
-- @include clock
-- @include streams/places
local PAGE = 100

local function matches(fields)
  if wanted_group ~= '' and fields.group ~= wanted_group then return false end
  return (fields.id or fields.entry_id) == id
end

local function publish_again(fields)
  return add_entry({
    body = fields.body or '', headers = fields.headers or '', id = id, attempt = 0,
    since = tonumber(string.match(id, '^(%d+)%-%d+$')) or 0, group = fields.group or '',
  })
end

local letters = redis.call('XREVRANGE', DEAD, cursor, '-', 'COUNT', PAGE)
for _, letter in ipairs(letters) do
  local fields = fields_of(letter[2])
  if matches(fields) then
    local reply = again and publish_again(fields)
    if is_error(reply) then return reply end
    redis.call('XDEL', DEAD, letter[1])
    return 'done'
  end
end
return #letters == PAGE and '(' .. letters[PAGE][1] or ''
