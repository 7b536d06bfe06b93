// Lua scripts for Redis, each atomic: compared values cannot change before the write. They use the time of Redis, so
// the clocks of replicas do not matter. A hash holds `epoch`, `instance`, and an entry for each connection, prefixed by
// its expiry.

const NOW = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * Registers (epoch 0) or renews a connection. Another instance starts a new epoch and drops the old entries. The epoch
 * is the time, so that it stays higher even if Redis has lost everything. After such a loss, a new tunnel may start an
 * epoch before the older tunnels of its instance are renewed: a renewal by the same instance joins the newer epoch.
 * Returns the epoch, 0 when superseded, and the number of entries; does not store the entry if it would exceed the
 * maximum.
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
elseif given ~= 0 and owner ~= instance then
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

/** The epoch and the entries that have not expired. */
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

/**
 * Extends the time for which a replica accepts tunnels, with the number that it holds; returns all such replicas with
 * their numbers.
 */
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

/** A replica stops accepting tunnels. */
export const dropReplica = `return redis.call('zrem', KEYS[1], ARGV[1])`
