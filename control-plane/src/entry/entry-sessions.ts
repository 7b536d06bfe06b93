import type { Clock } from '@svc/shared/kit/clock.ts'
import { andThen, type Eventual } from '@svc/shared/kit/eventual.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'
import { placeOf, Roster } from '@svc/shared/kit/roster.ts'
import type { EntryClaims } from '@svc/shared/wire/assertions.ts'
import type { Db } from '../db/database.ts'
import { beginEntry } from './begin-entry.ts'
import { entryKey, type EntrySession } from './entry-secret.ts'
import { entrySessionsRepository } from './entry-sessions.repository.ts'
import { insertRevocation } from './insert-revocation.ts'
import { keepLookups } from './kept-lookups.ts'
import type { Revocation } from './revocation.ts'

/** A cached session is read again after this time; together with the sweep, access ends within five seconds. */
const FRESH_MS = 3_000
const MAX_KEPT = 50_000

type Options = { db: Db; clock: Clock; log: Log; onRevocation: (listener: (revocation: Revocation) => void) => void }
/** A session and its open streams; `streams` holds the function that stops each. */
type Watched = { session: EntrySession; streams: Roster<() => void> }

/** Entry sessions for this replica's gateway: looked up for each request, watched by each open stream. */
export function createEntrySessions({ db, clock, log, onRevocation }: Options) {
  const sessions = entrySessionsRepository(db, clock)
  const begin = beginEntry({ db, clock })
  const lookups = keepLookups({ readAll: sessions.listLive, freshMs: FRESH_MS, maxKept: MAX_KEPT, clock })
  const watched = new Map<string, Watched>()

  const end = (key: string) => {
    lookups.forget(key)
    const ending = watched.get(key)?.streams
    watched.delete(key)
    for (let place = ending?.first; place !== undefined; place = ending?.first) {
      ending?.remove(place)
      place.member()
    }
  }

  onRevocation((revocation) => {
    lookups.forgetWhere((session) => isSubject(session, revocation))
    for (const [key, { session }] of watched) if (isSubject(session, revocation)) end(key)
  })

  /** Compares every session in use with the database, whatever ended it and even if the notification was lost. */
  const sweep = async (): Promise<void> => {
    // Sessions without open streams are forgotten here rather than after each request, because requests mostly follow
    // one another.
    for (const [key, { streams }] of watched) if (streams.isEmpty) watched.delete(key)
    const keys = [...watched.keys()]
    if (keys.length === 0) return
    const live = await sessions.listLiveKeys(keys)
    for (const key of keys) if (!live.has(key)) end(key)
  }
  const sweeping = repeat({
    everyMs: FRESH_MS,
    task: sweep,
    first: 'after_interval',
    clock,
    log,
    name: 'entry sessions',
  })
  const cleaning = repeat({
    everyMs: 10 * 60_000,
    task: () => sessions.deleteExpired(),
    first: 'after_interval',
    clock,
    log,
    name: 'expired entries',
  })

  return {
    /** The live session of a cookie's key; synchronous when it is cached. */
    find: (key: string): Eventual<EntrySession | undefined> =>
      andThen(lookups.find(key), (session) => (session && session.expiresAt > clock.now() ? session : undefined)),

    /** Consumes an entry assertion and starts a session; returns the cookie value. */
    enter: async (claims: EntryClaims): Promise<string> => {
      const { secret, joined, ended } = await begin(claims)
      joined.forEach(lookups.forget)
      for (const key of ended) end(key)
      return secret
    },

    /** Ends the session of a cookie value and the earlier ones of the same sign-in, on every replica. */
    leave: async (secret: string): Promise<void> => {
      const key = entryKey(secret)
      if (key === undefined) return
      const keys = await sessions.listOfSameSignIn(key)
      await db.transaction().execute(async (trx) => {
        for (const subject of keys) await insertRevocation(trx, { kind: 'entry_session', subject, clock })
      })
      keys.forEach(end)
    },

    /** Calls `stop` when the session ends, unless the returned function is called first. */
    watch: (session: EntrySession, stop: () => void): (() => void) => {
      const place = placeOf(stop)
      const known = watched.get(session.key)
      const streams = known?.streams ?? new Roster()
      streams.add(place)
      if (known === undefined) watched.set(session.key, { session, streams })
      else known.session = session
      return () => void streams.remove(place)
    },

    sweep,
    start: () => {
      sweeping.start()
      cleaning.start()
    },
    close: async () => {
      await Promise.all([sweeping.close(), cleaning.close()])
    },
  }
}

export type EntrySessions = ReturnType<typeof createEntrySessions>

function isSubject(session: EntrySession, { kind, subject }: Revocation): boolean {
  if (kind === 'entry_session') return session.key === subject
  if (kind === 'user_session') return session.sessionId === subject
  if (kind === 'user') return session.userId === subject
  return kind === 'organization' && session.orgId === subject
}
