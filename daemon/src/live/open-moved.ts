import { isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { LiveSession } from './live-session.ts'
import type { LiveSessions } from './open-live-sessions.ts'

type Opening = {
  sessions: LiveSessions
  path: string
  by: Actor
  /** The present path of the note; undefined if it does not exist any more. */
  movedTo: (path: string) => Promise<string | undefined>
}

/**
 * Opens the session of a note. A note that was moved while its client was away is opened at its present path. Fails
 * with `not_found`.
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
