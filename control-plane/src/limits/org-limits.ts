import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Eventual } from '@svc/shared/kit/eventual.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { placeOf, Roster } from '@svc/shared/kit/roster.ts'
import { PersonUse, personSettings } from './fair-share.ts'
import { divideLimit, OrgPermits } from './org-permits.ts'
import { ByteUse, defaultOrgLimits, refusal, type OrgLimitSettings } from './org-use.ts'
import type { QueuedBytes } from './queued-bytes.ts'
import { createTellUse, type Organization, type Told } from './tell-use.ts'
import type { UseLedger } from './use-ledger.ts'

/**
 * After the pool had nothing to give or did not respond, requests are refused for this long without asking it again.
 */
const REFUSED_MS = 50
/** The pool takes back the permits of a replica that has been silent for this long. */
export const LEASE_MS = 10_000
/**
 * A replica that cannot reach the pool gives borrowed permits up sooner: at the next beat after this part of a lease.
 */
const VALID_PART = 0.6
/** How often in a lease replicas report their use. */
const BEATS = 5

type Options = {
  /** The present limits of an organization. Returns the same object until they change. */
  settingsOf?: ((orgId: string) => OrgLimitSettings) | undefined
  leaseMs?: number | undefined
  queued: Pick<QueuedBytes, 'of' | 'ofPerson'>
  /** Replicas that serve people, including this one. */
  replicas: () => number
  /** Where replicas report their use and borrow permits; undefined for the only replica. */
  ledger: UseLedger | undefined
  clock: Clock
  log: Log
}

/** A request to be counted: its owner, and how to end it when the organization loses its permit. */
export type Entering = { orgId: string; person: string; end: () => void }
/** A counted request. `count` adds its bytes, `leave` ends the counting. */
export type Admission = { count(bytes: number): void; leave(): void }

/** The caller of a request, judged at one time. */
type Judged = { organization: Organization; person: PersonUse; now: number }
type Lack = 'person' | 'permit' | 'organization'
const TOO_MANY = { limit: 'concurrent', retryAfterSeconds: 1 } as const

/**
 * Counts what each organization uses, on all replicas together. An organization over a limit gets no new request until
 * it is below the limit again.
 *
 * Requests: each needs a permit. Every replica owns a few permits of each organization, enough for most, so that most
 * requests need no communication. More are borrowed from a pool that all replicas share, some ahead of need, and given
 * back after two seconds without need. A request without a permit waits for the pool. A replica that cannot reach the
 * pool keeps what it borrowed for six seconds. Then it ends the newest requests without a permit, because the pool
 * lends those permits again after ten seconds. So at no time do all replicas together have more open requests than the
 * limit.
 *
 * Bytes: on each replica an organization has an even share of each limit until it uses an eighth of that share. From
 * then on the replicas exchange their use every two seconds, and bytes go into one bucket for all. Reports expire after
 * six seconds: while Redis is away, even shares apply again.
 *
 * People: one person or agent never uses all of it, see `PersonUse`. What a person uses beyond their own bucket is
 * charged to that person alone.
 */
export function createOrgLimits({ settingsOf = () => defaultOrgLimits, leaseMs = LEASE_MS, ...deps }: Options) {
  const { queued, replicas, ledger, clock, log } = deps
  const organizations = new Map<string, Organization>()
  const among = ledger === undefined ? 'alone' : 'shared'

  const tell = createTellUse({ ledger, replicas, validMs: leaseMs * VALID_PART, clock })

  const toldOf = (orgId: string, organization: Organization, need: Told['need']): Told => {
    return { name: orgId, use: organization.bytes, queued: queued.of(orgId), of: organization, organization, need }
  }

  /** Requests more permits from the pool, in one call at a time. */
  const ask = (orgId: string, organization: Organization): Promise<void> => {
    organization.asking ??= tell([toldOf(orgId, organization, 'more')])
      .catch(() => {}) // the beat logs an outage
      .finally(() => (organization.asking = undefined))
    return organization.asking
  }

  /** Applies changed limits, also to open requests: the next beat ends those that have no permit any more. */
  const refresh = (orgId: string, organization: Organization): void => {
    const settings = settingsOf(orgId)
    if (organization.settings === settings) return
    const division = divideLimit(settings.concurrent, among)
    organization.settings = settings
    organization.pool = division.pool
    organization.permits.adopt(division)
    organization.bytes.adopt(settings)
    for (const person of organization.people.values()) person.bytes.adopt(personSettings(settings))
  }

  const newsOf = ([orgId, organization]: [string, Organization], now: number): Told[] => {
    const own = toldOf(orgId, organization, 'same')
    const tells = organization.permits.borrows(now, replicas()) || own.use.isNews(now, replicas(), own.queued)
    const told: Told[] = tells && organization.asking === undefined ? [own] : []
    for (const [person, { bytes: use }] of organization.people) {
      const bytes = queued.ofPerson(orgId, person)
      if (use.isNews(now, replicas(), bytes))
        told.push({
          name: `${orgId}:${person}`,
          use,
          queued: bytes,
          of: organization,
          organization: undefined,
          need: 'same',
        })
    }
    return told
  }

  const forget = (now: number): void => {
    for (const [orgId, { bytes, permits, people, asking }] of organizations) {
      if (asking !== undefined) continue // what waits for the pool would be admitted, but counted nowhere
      for (const [person, use] of people) if (use.open === 0 && use.bytes.isIdle(now, replicas())) people.delete(person)
      const idle = people.size === 0 && permits.open === 0 && !permits.borrows(now, replicas())
      if (idle && bytes.isIdle(now, replicas())) organizations.delete(orgId)
    }
  }

  /** Ends the newest requests that have no permit. */
  const endExcess = (now: number): void => {
    for (const [orgId, { permits, admitted }] of organizations) {
      const excess = permits.excess(now, replicas())
      if (excess === 0) continue
      log.warn({ orgId, requests: excess }, 'the permits of open requests could not be kept')
      for (const end of admitted.newest(excess)) end()
    }
  }

  const beat = async (): Promise<void> => {
    const now = clock.monotonic()
    for (const [orgId, organization] of organizations) refresh(orgId, organization)
    endExcess(now)
    forget(now)
    const told = [...organizations].flatMap((entry) => newsOf(entry, now))
    const telling = tell(told)
    const over = telling.catch(() => {})
    for (const { organization } of told)
      if (organization !== undefined) organization.asking = over.finally(() => (organization.asking = undefined))
    // Not awaited: the next beat must come in time, even if the ledger does not respond.
    telling.catch((err: unknown) => log.warn({ err }, 'what organizations use could not be told'))
  }

  const find = (orgId: string, now: number): Organization => {
    const known = organizations.get(orgId)
    if (known !== undefined) {
      refresh(orgId, known)
      return known
    }
    const settings = settingsOf(orgId)
    const division = divideLimit(settings.concurrent, among)
    const found = {
      settings,
      pool: division.pool,
      bytes: new ByteUse(settings, now),
      permits: new OrgPermits(division),
      people: new Map<string, PersonUse>(),
      admitted: new Roster<() => void>(),
      asking: undefined,
      refusedUntil: Number.NEGATIVE_INFINITY,
    }
    organizations.set(orgId, found)
    return found
  }

  const admit = ({ orgId, end }: Entering, { organization, person, now }: Judged): Admission => {
    const { permits, bytes, admitted } = organization
    const place = placeOf(end)
    admitted.add(place)
    permits.take(replicas())
    person.open += 1
    if (ledger !== undefined && permits.runsLow(now, replicas())) void ask(orgId, organization)
    return {
      count: (length) => {
        bytes.add(Math.min(length, person.bytes.room(clock.monotonic(), replicas())))
        person.bytes.add(length)
      },
      leave: () => {
        if (!admitted.remove(place)) return
        permits.open -= 1
        person.open -= 1
      },
    }
  }

  /** The reason to refuse one more request of a person now; undefined when there is a permit for it. */
  const lack = ({ organization: { permits }, person, now }: Judged): Lack | undefined => {
    const sharing = replicas()
    const free = permits.free(now, sharing)
    if (free > 0 && person.holdsAllOf(free / sharing)) return 'person'
    return permits.spare(now, sharing) > 0 ? undefined : free > 0 ? 'permit' : 'organization'
  }

  /** Requests permits from the pool, and repeats while other requests take the permits that it grants. */
  const admitLater = async (entering: Entering, organization: Organization, person: PersonUse): Promise<Admission> => {
    for (;;) {
      await ask(entering.orgId, organization)
      const judged = { organization, person, now: clock.monotonic() }
      const lacks = lack(judged)
      if (lacks === undefined) return admit(entering, judged)
      if (lacks === 'permit') continue
      // A refused person must not stop others from asking.
      const refused = lacks === 'person' ? person : organization
      refused.refusedUntil = clock.monotonic() + REFUSED_MS
      throw refusal(TOO_MANY, lacks)
    }
  }

  return {
    ...repeat({
      everyMs: leaseMs / BEATS,
      task: beat,
      first: 'after_interval',
      clock,
      log,
      name: 'limits of organizations',
    }),

    /** Counts a request, or fails with `too_many_requests`, or `relay_overloaded` when too many bytes are queued. */
    enter: (entering: Entering): Eventual<Admission> => {
      const { orgId } = entering
      const now = clock.monotonic()
      const organization = find(orgId, now)
      const { bytes, people } = organization
      const sharing = replicas()
      const whole = bytes.excess(now, sharing, queued.of(orgId))
      if (whole !== undefined) throw refusal(whole, 'organization')

      const person = people.get(entering.person) ?? new PersonUse(organization.settings, now)
      if (person.open === 0) people.set(entering.person, person)
      const part = person.bytes.excess(now, sharing, queued.ofPerson(orgId, entering.person))
      if (part !== undefined) throw refusal(part, 'person')

      const judged = { organization, person, now }
      const lacks = lack(judged)
      if (lacks === undefined) return admit(entering, judged)
      const refused = ledger === undefined || now < Math.max(organization.refusedUntil, person.refusedUntil)
      if (refused) throw refusal(TOO_MANY, lacks === 'person' ? 'person' : 'organization')
      return admitLater(entering, organization, person)
    },
  }
}

export type OrgLimits = Pick<ReturnType<typeof createOrgLimits>, 'enter'>
