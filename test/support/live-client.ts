import { randomBytes } from 'node:crypto'
import { ChangeSet } from '@codemirror/state'
import { WebSocket } from 'ws'
import { liveLink, type LiveLink } from '../../daemon/ui/live/live-link.ts'
import type { Unsent } from '../../daemon/ui/live/live-text.ts'
import type { Socket } from '../../daemon/ui/live/reconnecting-socket.ts'
import type { SaveState } from '../../daemon/ui/live/save-state.ts'
import { PATIENCE_MS } from './until.ts'

type Options = {
  /** Where the daemon listens: `http://127.0.0.1:1234`. */
  url: () => string
  path: string
  vaultId?: string
  headers?: Record<string, string>
  client?: string | Unsent
  keep?: (unsent: Unsent | undefined) => Promise<boolean>
}

/** The UI's live client over a real socket, with the actions of a test. */
export type LiveClient = LiveLink & {
  shown(): string
  /** Types at a position, or at the end if none is given. */
  type(insert: string, at?: number): void
  /** Replaces a passage that occurs once. */
  replace(old: string, insert: string): void
  /** Resolves when the save state is one of these. */
  reaches(...states: SaveState['state'][]): Promise<void>
  /** Resolves when the text meets a condition. */
  shows(condition: (text: string) => boolean): Promise<void>
  /** Cuts the connection without a close message. */
  cut(): void
}

export const newClientId = (): string => randomBytes(12).toString('base64url')

export function liveClient({ url, path, vaultId = 'demo-vault', headers = {}, client, keep }: Options): LiveClient {
  let socket: WebSocket | undefined
  const openSocket = (note: string): Socket => {
    const address = `${url().replace(/^http/, 'ws')}/api/vaults/${vaultId}/live/${note.split('/').map(encodeURIComponent).join('/')}`
    socket = new WebSocket(address, { headers })
    return socket as unknown as Socket
  }
  const link = liveLink({ openSocket, path, client: client ?? newClientId(), keep: keep ?? (async () => true) })
  const shown = () => link.text()?.toString() ?? ''
  const when = (condition: () => boolean, what: () => string) =>
    new Promise<void>((resolve, reject) => {
      const patience = setTimeout(() => {
        stop()
        reject(new Error(`not reached: ${what()}`))
      }, PATIENCE_MS)
      const check = () => {
        if (!condition()) return
        clearTimeout(patience)
        stop()
        resolve()
      }
      const stops = [link.subscribe(check), link.follow(() => queueMicrotask(check))]
      const stop = () => stops.forEach((end) => end())
      check()
    })
  const edit = (from: number, to: number, insert: string) =>
    link.edit(ChangeSet.of([{ from, to, insert }], link.text()!.length, '\n'))

  return {
    ...link,
    shown,
    type: (insert, at = link.text()!.length) => edit(at, at, insert),
    replace(old, insert) {
      const from = shown().indexOf(old)
      if (from < 0) throw new Error(`the text has no ${old}`)
      edit(from, from + old.length, insert)
    },
    reaches: (...states) =>
      when(
        () => states.includes(link.current().save.state),
        () => JSON.stringify([states, link.current().save]),
      ),
    shows: (condition) =>
      when(
        () => condition(shown()),
        () => shown().slice(0, 500),
      ),
    cut: () => socket?.terminate(),
  }
}
