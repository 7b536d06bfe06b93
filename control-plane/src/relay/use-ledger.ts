import type { Redis } from 'ioredis'
import type { UseElsewhere, UseReport } from './org-use.ts'

/** Where replicas tell one another what organizations use. */
export type UseLedger = {
  /** Tells the use here and answers, in the same order, what the others use. Rejects while that cannot be known. */
  report(reports: readonly (UseReport & { orgId: string })[]): Promise<UseElsewhere[]>
}

/** What a replica said counts this long, three times the pause between reports. */
const SAID_MS = 6_000

/**
 * Notes what one replica has open and queued, adds its bytes to the bucket of the organization, which drains, and answers
 * what the other replicas have open and queued and how full the bucket is. Time is that of Redis.
 */
const reportUse = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own, open, queued = 'r:' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local bytes, rate, ttl = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local spent, at, otherOpen, otherQueued = 0, now, 0, 0
local all = redis.call('hgetall', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if field == 'spent' then
    spent = tonumber(value)
  elseif field == 'at' then
    at = tonumber(value)
  elseif field ~= own then
    local ends, itsOpen, itsQueued = string.match(value, '^(%d+) (%d+) (%d+)$')
    if tonumber(ends) > now then
      otherOpen, otherQueued = otherOpen + itsOpen, otherQueued + itsQueued
    else
      redis.call('hdel', KEYS[1], field)
    end
  end
end
spent = math.max(0, spent - (now - at) * rate / 1000) + bytes
redis.call('hset', KEYS[1], 'spent', string.format('%.0f', spent), 'at', string.format('%.0f', now))
if open + queued > 0 then
  redis.call('hset', KEYS[1], own, string.format('%.0f %d %d', now + ttl, open, queued))
else
  redis.call('hdel', KEYS[1], own)
end
redis.call('pexpire', KEYS[1], string.format('%.0f', ttl + spent * 1000 / rate))
return { otherOpen, otherQueued, string.format('%.0f', spent) }`

type Options = { redis: Redis; replicaId: string; bytesPerSecond: number }

/** The ledger in Redis: a hash for each organization that uses more than a little, all asked for in one round trip. */
export function redisUseLedger({ redis, replicaId, bytesPerSecond }: Options): UseLedger {
  return {
    report: async (reports) => {
      const asked = reports.map(({ orgId, open, queued, bytes }) =>
        redis.eval(
          reportUse,
          1,
          `svc:use:${orgId}`,
          replicaId,
          open,
          queued,
          Math.round(bytes),
          bytesPerSecond,
          SAID_MS,
        ),
      )
      const answers = (await Promise.all(asked)) as [number, number, string][]
      return answers.map(([open, queued, spent]) => ({ open, queued, spent: Number(spent) }))
    },
  }
}
