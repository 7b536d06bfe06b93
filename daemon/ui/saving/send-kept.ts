import { liveUrl, type NoteRef } from '../api/daemon-client.ts'
import { liveLink } from '../live/live-link.ts'
import type { Lease } from './kept-texts.ts'

// How long to wait for the host. After that, the note is sent another time.
const PATIENCE_MS = 20_000

type Options = { lease: Lease; ref: NoteRef; signal: AbortSignal }

/** `refused`: only a person, or a change of the vault, can help. `waiting`: the daemon has not answered. */
export type SentKept = 'sent' | 'refused' | 'waiting'

/** Sends text stored by an earlier visit, without showing the note. */
export async function sendKept({ lease, ref, signal }: Options): Promise<SentKept> {
  const link = liveLink({
    openSocket: (path, how) => new WebSocket(liveUrl({ ...ref, path }, how)),
    path: ref.path,
    client: lease.client,
    keep: (unsent) => lease.keep(link.current().path, unsent),
  })
  const sent = await new Promise<SentKept>((resolve) => {
    const patience = setTimeout(() => resolve('waiting'), PATIENCE_MS)
    signal.addEventListener('abort', () => resolve('waiting'))
    const end = (sent: SentKept) => {
      clearTimeout(patience)
      resolve(sent)
    }
    const look = () => {
      const { state } = link.current().save
      if (!link.hasUnsent()) end('sent')
      else if (state === 'refused' || state === 'conflict' || state === 'gone') end('refused')
      else if (signal.aborted) end('waiting')
    }
    link.subscribe(look)
    look()
  })
  await link.close()
  lease.end()
  return sent
}
