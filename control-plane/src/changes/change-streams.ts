import type { Readable } from 'node:stream'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import type { Role } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ChangesRepository, NotedChange } from './changes.repository.ts'
import { EventStream } from './event-stream.ts'
import { maySee, type Rights } from './may-see.ts'

export type MembershipOf = { userId: string; orgId: string; role: Role }

export type ChangeStreamsDeps = {
  changes: Pick<ChangesRepository, 'readSnapshot' | 'listSince'>
  accounts: { listLiveSessions(sessionIds: string[]): Promise<string[]> }
  organizations: { listMemberships(userIds: string[]): Promise<MembershipOf[]> }
  operatorOrg: string | undefined
  clock: Clock
  log: Log
}

type Opening = {
  sessionId: string
  userId: string
  /** May use the routes of system admins, a second factor included. */
  isSystemAdmin: boolean
}
type Reader = {
  sessionId: string
  userId: string
  openedAsSystemAdmin: boolean
  stream: EventStream
  /** Undefined until the first check: what a person may see is read before anything is sent. */
  rights: Rights | undefined
  /** True if changes were not sent, so that the reader must read everything again. */
  missed: boolean
}

/** A browser opens at most six connections to an origin, shared by its tabs. Two of them stay free for requests. */
const PER_SESSION = 4
const PER_PERSON = 16
const TICK_MS = 1_000
/**
 * A beat tells a page that it was sent everything committed until about now, so that the page can show how fresh it is.
 */
const BEAT_EVERY_TICKS = 2
/** When sessions could not be checked for this long, every stream ends, because its session may have ended. */
const UNCHECKED_MS = 4_000

/**
 * The event streams of this replica. Once a second, while anybody listens, it reads from Postgres which sessions are
 * live, what each person may see, and what was committed since the last read. Every replica reads the same database, so
 * all send the same changes.
 */
export function createChangeStreams({ changes, operatorOrg, clock, log, ...deps }: ChangeStreamsDeps) {
  const { accounts, organizations } = deps
  const readers = new Set<Reader>()
  /** Organizations whose daemon connected or disconnected. These changes are in no table. */
  let hints = new Set<string>()
  let snapshot: string | undefined
  let checkedAt = 0
  let ticks = 0

  const endAll = (reason: 'session_ended' | 'closing'): void => {
    for (const { stream } of readers) stream.end(reason)
    readers.clear()
  }

  const checkReaders = async (): Promise<void> => {
    // A reader that joins during these queries is checked at the next tick.
    const asked = [...readers]
    const live = new Set(await accounts.listLiveSessions([...new Set(asked.map(({ sessionId }) => sessionId))]))
    const memberships = await organizations.listMemberships([...new Set(asked.map(({ userId }) => userId))])
    const byPerson = Map.groupBy(memberships, ({ userId }) => userId)
    for (const reader of asked) {
      const roles = new Map((byPerson.get(reader.userId) ?? []).map(({ orgId, role }) => [orgId, role]))
      reader.rights = {
        userId: reader.userId,
        roles,
        isSystemAdmin: reader.openedAsSystemAdmin && roles.get(operatorOrg ?? '') === 'admin',
      }
      if (live.has(reader.sessionId)) continue
      reader.stream.end('session_ended')
      readers.delete(reader)
    }
  }

  const tellAll = (noted: NotedChange[]): void => {
    for (const reader of readers) {
      const { stream, rights } = reader
      if (rights === undefined) {
        reader.missed ||= noted.length > 0
        continue
      }
      const seen = noted.filter((change) => maySee(change, rights)).map(({ topic, orgId }) => ({ topic, orgId }))
      const once = [...new Map(seen.map((change) => [`${change.topic} ${change.orgId}`, change])).values()]
      if (once.length > 0) stream.tell({ changes: once })
    }
  }

  const look = async (): Promise<void> => {
    await checkReaders()
    checkedAt = clock.monotonic()
    const since = snapshot ?? (await changes.readSnapshot())
    const { changes: noted, now } = await changes.listSince(since)
    snapshot = now
    const hinted = [...hints].map((orgId): NotedChange => ({ topic: 'daemon', orgId, userId: null }))
    hints = new Set()
    for (const reader of readers) {
      if (!reader.missed || reader.rights === undefined) continue
      reader.stream.resync()
      reader.missed = false
    }
    tellAll([...noted, ...hinted])
  }

  const tick = async (): Promise<void> => {
    if (readers.size === 0) {
      snapshot = undefined
      hints = new Set()
      return
    }
    ticks += 1
    try {
      await look()
      if (ticks % BEAT_EVERY_TICKS === 0)
        for (const { stream, rights, missed } of readers) if (rights !== undefined && !missed) stream.beat()
    } catch (error) {
      for (const reader of readers) reader.missed = true
      if (clock.monotonic() - checkedAt > UNCHECKED_MS) endAll('closing')
      throw error
    }
  }
  const loop = repeat({ everyMs: TICK_MS, task: tick, first: 'after_interval', clock, log, name: 'event streams' })

  return {
    /**
     * Opens a stream for a live session. A reader that reads the state after the first event misses no later change.
     */
    open: async ({ sessionId, userId, isSystemAdmin }: Opening): Promise<Readable> => {
      const count = (isSame: (reader: Reader) => boolean) => [...readers].filter(isSame).length
      const full =
        count((reader) => reader.sessionId === sessionId) >= PER_SESSION ||
        count((reader) => reader.userId === userId) >= PER_PERSON
      if (full) throw fail('too_many_requests', undefined, { retryAfterSeconds: 30 })

      if (readers.size === 0) checkedAt = clock.monotonic()
      const stream = new EventStream()
      const reader: Reader = {
        sessionId,
        userId,
        openedAsSystemAdmin: isSystemAdmin,
        stream,
        rights: undefined,
        missed: false,
      }
      readers.add(reader)
      stream.body.once('close', () => readers.delete(reader))
      try {
        const read = await changes.readSnapshot()
        // Another one that was set meanwhile is earlier: readers have read their state since.
        snapshot ??= read
      } catch (error) {
        stream.body.destroy()
        throw error
      }
      loop.start()
      return stream.body
    },

    /** Call when the daemon of an organization has connected or disconnected. */
    presenceChanged: (orgId: string): void => void (readers.size > 0 && hints.add(orgId)),

    /** Ends every stream, so that browsers reconnect to another replica. */
    endAll: () => endAll('closing'),

    close: async (): Promise<void> => {
      endAll('closing')
      await loop.close()
    },
  }
}

export type ChangeStreams = ReturnType<typeof createChangeStreams>
