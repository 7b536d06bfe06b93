import { liveUrl, type NoteRef } from '../api/daemon-client.ts'
import { liveLink } from '../live/live-link.ts'
import type { Lease } from './kept-texts.ts'

// How long to wait for the host. After that, the note is sent another time.
const PATIENCE_MS = 20_000

type Options = { lease: Lease; ref: NoteRef; signal: AbortSignal }

/** Sends text stored by an earlier visit, without showing the note. Returns whether the daemon has it now. */
export async function sendKept({ lease, ref, signal }: Options): Promise<boolean> {
  const link = liveLink({
    openSocket: (path, how) => new WebSocket(liveUrl({ ...ref, path }, how)),
    path: ref.path,
    client: lease.client,
    keep: (unsent) => lease.keep(link.current().path, unsent),
  })
  const isSent = await new Promise<boolean>((resolve) => {
    const patience = setTimeout(() => resolve(false), PATIENCE_MS)
    signal.addEventListener('abort', () => resolve(false))
    const look = () => {
      const { state } = link.current().save
      const isOver =
        signal.aborted || !link.hasUnsent() || state === 'refused' || state === 'conflict' || state === 'gone'
      if (!isOver) return
      clearTimeout(patience)
      resolve(!link.hasUnsent())
    }
    link.subscribe(look)
    look()
  })
  await link.close()
  lease.end()
  return isSent
}
