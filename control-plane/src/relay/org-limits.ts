import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { repeat } from '../entry/revocation-feed.ts'
import { OrgUse, type OrgLimitSettings } from './org-use.ts'
import type { UseLedger } from './use-ledger.ts'

export const defaultOrgLimits: OrgLimitSettings = {
  concurrent: 512,
  bytesPerSecond: 64 * 1024 * 1024,
  burstBytes: 2 * 1024 * 1024 * 1024,
  queuedBytes: 64 * 1024 * 1024,
}

/** Replicas tell one another what is used this often, and an organization that fills up fast at once. */
const BEAT_MS = 2_000
const AT_ONCE_MS = 50

type Options = {
  settings?: OrgLimitSettings | undefined
  /** Bytes that the organization has queued on this replica. */
  queuedOf: (orgId: string) => number
  /** Replicas that serve people, this one included. */
  replicas: () => number
  /** Where replicas tell one another; undefined for an only one. */
  ledger: UseLedger | undefined
  clock: Clock
  log: Log
}

/** One request counted in. `count` adds its bytes, `leave` counts it out. */
export type Admission = { count(bytes: number): void; leave(): void }

/**
 * Counts what each organization uses, on all replicas together. Whoever is over a limit gets no new request until it is
 * under it again; what is open goes on.
 *
 * Nothing is asked while a request waits. An organization has an even share of each limit on each replica until it uses an
 * eighth of that share; so nobody need know of the many that use little. From then on the replica tells the others what it
 * uses and hears what they use: every two seconds, and at once (50 ms apart at least) after every further eighth. It may
 * open what it told and an even share of what nobody uses. So one busy replica comes to the whole limit within a few round
 * trips, and several together go over it by an eighth at most, and by what they admit at once before any has heard of the
 * others. Bytes go into one bucket for all. What is known is forgotten after six seconds: while Redis is away, even shares
 * hold again.
 */
export function createOrgLimits({ settings = defaultOrgLimits, queuedOf, replicas, ledger, clock, log }: Options) {
  const uses = new Map<string, OrgUse>()

  const tell = async (told: readonly (readonly [string, OrgUse])[]): Promise<void> => {
    if (ledger === undefined || told.length === 0) return
    for (const [, use] of told) use.asking = true
    const reports = told.map(([orgId, use]) => ({
      orgId,
      ...use.report(clock.monotonic(), replicas(), queuedOf(orgId)),
    }))
    try {
      const answers = await ledger.report(reports)
      told.forEach(([, use], i) => use.learn(reports[i]!, answers[i]!, clock.monotonic()))
    } catch (error) {
      told.forEach(([, use], i) => use.takeBack(reports[i]!))
      throw error
    } finally {
      for (const [, use] of told) use.asking = false
    }
  }

  const beat = async (): Promise<void> => {
    const now = clock.monotonic()
    for (const [orgId, use] of uses) if (use.isIdle(now, replicas())) uses.delete(orgId)
    if (replicas() === 1) return
    await tell([...uses].filter(([orgId, use]) => !use.asking && use.isNews(now, replicas(), queuedOf(orgId))))
  }

  const tellAtOnce = async (orgId: string, use: OrgUse): Promise<void> => {
    if (ledger === undefined || replicas() === 1 || use.asking) return
    use.asking = true
    const early = use.askedAt + AT_ONCE_MS - clock.monotonic()
    if (early > 0) await clock.sleep(early)
    use.askedAt = clock.monotonic()
    await tell([[orgId, use]]).catch(() => {}) // the beat tells of an outage
  }

  return {
    ...repeat({ everyMs: BEAT_MS, task: beat, clock, log, name: 'limits of organizations' }),

    /** Counts a request in, or fails with `too_many_requests`, or `relay_overloaded` where too many bytes are queued. */
    enter: (orgId: string): Admission => {
      const now = clock.monotonic()
      const use = uses.get(orgId) ?? new OrgUse(settings, now)
      const excess = use.excess(now, replicas(), queuedOf(orgId))
      if (excess !== undefined) {
        void tellAtOnce(orgId, use)
        const { limit, retryAfterSeconds } = excess
        throw fail(
          limit === 'queued_bytes' ? 'relay_overloaded' : 'too_many_requests',
          { limit },
          { retryAfterSeconds },
        )
      }
      uses.set(orgId, use)
      use.open += 1
      if (use.needsNews(replicas())) void tellAtOnce(orgId, use)
      return { count: (bytes) => use.add(bytes), leave: () => void (use.open -= 1) }
    },
  }
}

export type OrgLimits = Pick<ReturnType<typeof createOrgLimits>, 'enter'>
