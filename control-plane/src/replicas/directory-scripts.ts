// Lua run inside Redis, each one step: what is compared cannot change before it is written. Time is that of Redis, so
// that the clocks of replicas do not matter. A hash holds `epoch`, `instance`, and an entry for each connection, with the
// time at which it ends in front.

const NOW = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * Enters (epoch 0) or renews a connection. Another instance begins a new epoch and drops what was there; its number is
 * the time, so that it stays higher even if Redis has lost everything. Answers the epoch, 0 when superseded, and how many
 * entries there are now; without the entry where it would be one more than there is room for.
 */
export const registerTunnel = `${NOW}
local id, text, instance, given, ttl = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local room = tonumber(ARGV[6])
local epoch = tonumber(redis.call('hget', KEYS[1], 'epoch') or '0')
local owner = redis.call('hget', KEYS[1], 'instance')
if given == 0 and owner ~= instance then
  epoch = math.max(epoch + 1, now)
elseif given > epoch then
  epoch, owner = given, false
elseif given ~= 0 and (given < epoch or owner ~= instance) then
  return { '0', 0 }
end
if owner ~= instance then
  redis.call('del', KEYS[1])
  redis.call('hset', KEYS[1], 'epoch', string.format('%.0f', epoch), 'instance', instance)
end
local count = 1
local all = redis.call('hgetall', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if string.sub(field, 1, 2) == 'c:' and field ~= 'c:' .. id then
    if tonumber(string.match(value, '^%d+')) > now then
      count = count + 1
    else
      redis.call('hdel', KEYS[1], field)
    end
  end
end
if count > room then
  return { string.format('%.0f', epoch), count }
end
redis.call('hset', KEYS[1], 'c:' .. id, string.format('%.0f', now + ttl) .. ' ' .. text)
redis.call('pexpire', KEYS[1], ttl * 2)
return { string.format('%.0f', epoch), count }`

/** The epoch and the entries that have not ended. */
export const listTunnels = `${NOW}
local all = redis.call('hgetall', KEYS[1])
local answer = { '0' }
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if field == 'epoch' then
    answer[1] = value
  elseif string.sub(field, 1, 2) == 'c:' then
    local space = string.find(value, ' ', 1, true)
    if tonumber(string.sub(value, 1, space - 1)) > now then
      table.insert(answer, string.sub(value, space + 1))
    else
      redis.call('hdel', KEYS[1], field)
    end
  end
end
return answer`

/** Removes a connection; the epoch stays until it expires. */
export const removeTunnel = `return redis.call('hdel', KEYS[1], 'c:' .. ARGV[1])`

/** Notes that a replica takes tunnels for a while longer and how many it holds; answers all that do, each with its count. */
export const beatReplica = `${NOW}
redis.call('zadd', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
redis.call('hset', KEYS[2], ARGV[1], ARGV[3])
for _, id in ipairs(redis.call('hkeys', KEYS[2])) do
  if not redis.call('zscore', KEYS[1], id) then redis.call('hdel', KEYS[2], id) end
end
local answer = {}
for _, id in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do
  table.insert(answer, id)
  table.insert(answer, redis.call('hget', KEYS[2], id) or '')
end
return answer`

/** A replica takes no more tunnels. */
export const dropReplica = `return redis.call('zrem', KEYS[1], ARGV[1])`
