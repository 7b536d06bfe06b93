import type { Redis } from 'ioredis'
import type { PermitRequest } from './org-permits.ts'
import type { UseElsewhere, UseReport } from './org-use.ts'

/** The report for one organization, or one person in it: its limits, the bytes, and the requested permits. */
export type LedgerReport = UseReport & {
  name: string
  limits: { bytesPerSecond: number; pool: number }
  permits: PermitRequest
}
export type LedgerAnswer = UseElsewhere & { granted: number; free: number }

/** Where replicas report what they use, and borrow permits. */
export type UseLedger = {
  /** Reports the use here and returns, in the same order, what the others use. Rejects when that cannot be known. */
  report(reports: readonly LedgerReport[]): Promise<LedgerAnswer[]>
}

/**
 * One key of the ledger. The field `r:<replica>` holds what a replica has borrowed and queued, and how long that
 * counts. `spent` is a bucket of bytes, which drains. The time is that of Redis.
 *
 * Permits: a replica keeps what it holds and gets what no other replica holds. What it reports as held counts only as
 * far as the ledger agrees and the pool, which may have become smaller, still has it. A request that a later one has
 * overtaken changes nothing. A Redis that has just started may have lost what it granted. Until every earlier lease has
 * expired, it therefore believes what replicas report and grants nothing new.
 */
const reportUse = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own, queued, bytes, rate = 'r:' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ttl, pool = tonumber(ARGV[5]), tonumber(ARGV[6])
local number, held, want = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local run = string.match(redis.call('info', 'server'), 'run_id:(%w+)')
local knownRun, since = string.match(redis.call('get', KEYS[2]) or '', '^(%w+) (%d+)$')
if knownRun ~= run then
  since = now
  redis.call('set', KEYS[2], run .. ' ' .. string.format('%.0f', now))
end
local settling = now - since < ttl

local spent, at, otherQueued, lent = 0, now, 0, 0
local mine, latest
local all = redis.call('hgetall', KEYS[1])
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if field == 'spent' then
    spent = tonumber(value)
  elseif field == 'at' then
    at = tonumber(value)
  else
    local ends, itsPermits, itsQueued, itsNumber = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
    if tonumber(ends) <= now then
      redis.call('hdel', KEYS[1], field)
    elseif field == own then
      mine, latest = tonumber(itsPermits), tonumber(itsNumber)
    else
      lent, otherQueued = lent + itsPermits, otherQueued + itsQueued
    end
  end
end

spent = math.max(0, spent - (now - at) * rate / 1000) + bytes
redis.call('hset', KEYS[1], 'spent', string.format('%.0f', spent), 'at', string.format('%.0f', now))
local overtaken = latest ~= nil and number <= latest
local granted = mine or 0
if not overtaken then
  local believed = settling and held or math.min(held, mine or 0, math.max(0, pool - lent))
  local more = settling and 0 or math.max(0, pool - lent - believed)
  granted = want <= believed and want or believed + math.min(want - believed, more)
  if granted + queued > 0 then
    redis.call('hset', KEYS[1], own, string.format('%.0f %d %d %.0f', now + ttl, granted, queued, number))
  else
    redis.call('hdel', KEYS[1], own)
  end
end
redis.call('pexpire', KEYS[1], string.format('%.0f', ttl + spent * 1000 / rate))
return { otherQueued, string.format('%.0f', spent), granted, settling and 0 or math.max(0, pool - lent - granted) }`

type Options = { redis: Redis; replicaId: string; leaseMs: number }

/** The ledger in Redis: a hash for each organization with more than a little use, all reported in one round trip. */
export function createRedisUseLedger({ redis, replicaId, leaseMs }: Options): UseLedger {
  const tell = ({
    name,
    limits: { bytesPerSecond, pool },
    queued,
    bytes,
    permits: { number, held, want },
  }: LedgerReport) => {
    const fixed = [bytesPerSecond, leaseMs, pool] as const
    const use = [replicaId, queued, Math.round(bytes), ...fixed, number, held, want]
    return redis.eval(reportUse, 2, `svc:use:${name}`, 'svc:use-run', ...use)
  }
  return {
    report: async (reports) => {
      const answers = (await Promise.all(reports.map(tell))) as [number, string, number, number][]
      return answers.map(([queued, spent, granted, free]) => ({ queued, spent: Number(spent), granted, free }))
    },
  }
}
