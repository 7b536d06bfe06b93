import type { Clock } from '@svc/shared/kit/clock.ts'
import type { EntryClaims } from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import type { Db } from '../db/database.ts'
import { ENTRY_SESSION_MS, entryKey, newEntrySecret, publicEntryId, type EntrySession } from './entry-secret.ts'
import { entrySessionsRepository } from './entry-sessions.repository.ts'
import { insertRevocation } from './insert-revocation.ts'
import { firstThatFit, MAX_VAULTS_BYTES } from './mint-assertion.ts'

/** Concurrent entries of one sign-in to one organization; a new one ends the oldest. */
const MOST_SESSIONS = 20
/**
 * Vaults of one session, whose assertions name all of them. A new one takes the place of the oldest, which can be
 * entered again.
 */
const MOST_VAULTS = { count: 100, bytes: MAX_VAULTS_BYTES }

type Options = { db: Db; clock: Pick<Clock, 'now'> }
/** The result of an entry: the value for the cookie, the sessions that got the vault, and those that ended. */
export type Begun = { secret: string; joined: string[]; ended: string[] }

/**
 * Consumes an entry assertion and starts a session. The form is posted from another site, so the browser sends no
 * cookie with it, and the response replaces the cookie of an earlier entry. The earlier sessions are therefore found by
 * the sign-in. The new session gets their vaults, and they get the new vault, because the responses of two entries can
 * arrive in either order. They stay alive, so that requests in flight with the older cookie end well.
 */
export function beginEntry({ db, clock }: Options) {
  return (claims: EntryClaims): Promise<Begun> =>
    db.transaction().execute(async (trx) => {
      const sessions = entrySessionsRepository(trx, clock)
      if (!(await sessions.consumeAssertion(claims.jti, new Date((claims.exp + 60) * 1000))))
        throw fail('unauthenticated', { reason: 'assertion_used' })

      const secret = newEntrySecret()
      const session = sessionOf(claims, entryKey(secret)!, clock.now())
      if (!(await sessions.lockSignIn(session))) throw fail('unauthenticated', { reason: 'assertion_invalid' })
      const earlier = await sessions.addVaults(session, MOST_VAULTS)
      const newestFirst = new Set([...session.vaults, ...earlier.flatMap((one) => one.vaults.toReversed())])
      const vaults = firstThatFit([...newestFirst].slice(0, MOST_VAULTS.count)).toReversed()
      await sessions.insert({ ...session, vaults })

      const ended = earlier.slice(MOST_SESSIONS - 1).map(({ key }) => key)
      for (const subject of ended) await insertRevocation(trx, { kind: 'entry_session', subject, clock })
      return { secret, joined: earlier.map(({ key }) => key), ended }
    })
}

function sessionOf(claims: EntryClaims, key: string, now: Date): EntrySession {
  return {
    key,
    publicId: publicEntryId(key),
    userId: claims.sub,
    sessionId: claims.sid,
    orgId: claims.org,
    daemonId: claims.daemon,
    name: claims.name,
    role: claims.role,
    vaults: [claims.vault],
    expiresAt: new Date(now.getTime() + ENTRY_SESSION_MS),
  }
}
