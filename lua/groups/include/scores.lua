-- Scores of many groups, written with one command a tier: a call from a script costs a microsecond.
local function add_score(scores, tier, score, group)
  local rows = scores[tier]
  if not rows then
    rows = {}
    scores[tier] = rows
  end
  rows[#rows + 1] = score
  rows[#rows + 1] = group
end

local function write_scores(scores)
  for tier, rows in pairs(scores) do
    redis.call('ZADD', READY .. tier, unpack(rows))
  end
end
