import { isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { LiveSession } from './live-session.ts'
import type { LiveSessions } from './open-live-sessions.ts'

type Opening = {
  sessions: LiveSessions
  path: string
  by: Actor
  /** Where the note is now; undefined if it is nowhere. */
  movedTo: (path: string) => Promise<string | undefined>
}

/**
 * Opens the session of a note; one that was moved while its client was away is opened where it is now. Fails with
 * `not_found`.
 */
export async function openMoved({ sessions, path, by, movedTo }: Opening): Promise<LiveSession> {
  try {
    return await sessions.open(path, by)
  } catch (error) {
    if (!isFailure(error, 'not_found')) throw error
    const now = await movedTo(path)
    if (now === undefined) throw error
    return sessions.open(now, by)
  }
}
