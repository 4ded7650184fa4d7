-- Which groups come next: those that were served longest ago, of several tiers.

-- The groups of some tiers that were served longest ago, at most `count` a tier, as (group, score)
-- pairs by tier; and whether there may be more that are due. (A range by rank costs two thirds of
-- one by score; what is not due yet is left out as it comes.)
local function oldest_groups(tiers, count)
  local windows, is_full = {}, false
  for tier in string.gmatch(tiers, '%d') do
    local rows = redis.call('ZRANGE', READY .. tier, 0, count - 1, 'WITHSCORES')
    if rows[1] then windows[#windows + 1] = { tier = tier, rows = rows, at = 1 } end
    is_full = is_full or #rows == count * 2 and tonumber(rows[#rows]) <= now
  end
  return windows, is_full
end

-- The window whose next group is due and has the lowest score; where scores tie the lowest tier wins.
-- Scores below 1 are a tie: they order the new groups of one tier only.
local function next_window(windows)
  local best, best_score = nil, now + 1
  for _, window in ipairs(windows) do
    local score = tonumber(window.rows[window.at + 1])
    if score and score < 1 then score = 0 end
    if score and score < best_score then
      best, best_score = window, score
    end
  end
  return best
end

-- Up to `count` due groups in the order in which they are to be taken, and their names.
local function next_groups(windows, count)
  local chosen, names = {}, {}
  for i = 1, count do
    local window = next_window(windows)
    if not window then break end
    names[i] = window.rows[window.at]
    chosen[i] = { group = names[i], tier = window.tier }
    window.at = window.at + 2
  end
  return chosen, names
end
