import type { Log } from '@svc/shared/kit/log.ts'
import { restoredDocument } from '../document/restored-document.ts'
import type { LiveSession } from '../live-session.ts'
import type { NoteFiles } from '../note-file.ts'
import { outsideWho } from '../participant.ts'
import type { Beginning } from '../session-state.ts'
import { formOf, widestForm } from '../text-size.ts'
import type { FoundSession } from './replay-log.ts'

type Options = {
  /** Empty afterwards: the texts of many notes would fill the memory for as long as the daemon runs. */
  found: FoundSession[]
  files: NoteFiles
  open(beginning: Omit<Beginning, 'epoch'>): LiveSession
  /** A session that is saved waits for its clients to come back. */
  linger(session: LiveSession): void
  logger: Log
}

/** Opens again what a crash left of the open notes, and brings it into their files. Nothing else runs meanwhile. */
export async function restoreSessions({ found, files, open, linger, logger }: Options): Promise<void> {
  // A file that cannot be read now is read again by the save, which is retried until it succeeds.
  const fileAt = (path: string) => files.find(path).catch(() => undefined)

  async function reopen(session: FoundSession): Promise<LiveSession> {
    const now = await fileAt(session.path)
    const restored = await restoredDocument(session, now)
    const form = now ? formOf(now.text) : widestForm
    return open({ ...restored, path: now?.path ?? session.path, form, by: session.by })
  }

  async function settle(session: LiveSession): Promise<void> {
    const now = await fileAt(session.path)
    if (now) await session.fileChanged(now, undefined, outsideWho)
    if (session.isSaved) linger(session)
    else await session.saves.saveAtStart()
  }

  // All before the first save: it replaces the log by what the open sessions have.
  const reopened: LiveSession[] = []
  for (let next = found.shift(); next; next = found.shift()) reopened.push(await reopen(next))
  for (const session of reopened)
    await settle(session).catch((error: unknown) =>
      logger.error({ err: error }, 'a note that was open when the daemon ended could not be saved; it is tried again'),
    )
}
