-- Dead letters: the seed's fields body, reason, entry_id and at, and ours.
-- entry_id is the id of the message's first entry, where it was published without a delay.
local function dead_letter(message, letter)
  local first_id = string.match(message.id, '^%d+%-%d+$') and message.id or message.entry_id
  return redis.pcall('XADD', DEAD, 'MAXLEN', '~', letter.max_len, '*',
    'body', message.body, 'reason', letter.reason, 'entry_id', first_id, 'at', number_text(now),
    'headers', message.headers, 'group', group, 'attempts', number_text(letter.attempts),
    'id', message.id, 'error', letter.error)
end
