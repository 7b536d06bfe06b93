import { WebSocket } from 'ws'
import { liveLimits, type DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'

/** A cheap participant of a live session: it follows versions and lengths, not the text. */
export type Participant = {
  /** Pushes one update that inserts a token of eight characters at the start; false while one is in flight. */
  push(): boolean
  isReady(): boolean
  close(): void
}

/** Called with each update that a participant receives, with its client and number. */
export type Heard = (client: string, nth: number) => void

export const TOKEN = 'keystrk '

type Options = { url: string; headers: Record<string, string>; id: string; heard: Heard }

/** Connects to a note as a participant. */
export function participant({ url, headers, id, heard }: Options): Participant {
  const socket = new WebSocket(url, { headers })
  const counts = new Map<string, number>()
  let [version, length, seq] = [0, 0, 0]
  let parts: string[] = []
  let awaited = 0
  let isReady = false
  let inFlight = false
  const send = (message: unknown) => socket.send(JSON.stringify(message))

  socket.on('open', () => send({ type: 'hello', clientId: id }))
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as DaemonMessage
    if (message.type === 'welcome') [version, awaited, parts] = [message.version, message.parts, []]
    if (message.type === 'text') parts.push(message.part)
    if ((message.type === 'welcome' || message.type === 'text') && parts.length === awaited) {
      length = parts.join('').length
      send({ type: 'loaded', version, length })
      isReady = true
    }
    if (message.type !== 'updates') return
    for (const { client } of message.updates) {
      const nth = (counts.get(client) ?? 0) + 1
      counts.set(client, nth)
      if (client === id) inFlight = false
      version += 1
      length += TOKEN.length
      heard(client, nth)
    }
  })

  return {
    push() {
      if (!isReady || inFlight || length > liveLimits.maxInserted * 16) return false
      inFlight = true
      send({ type: 'push', version, seq: ++seq, updates: [[[0, TOKEN], length]] })
      return true
    },
    isReady: () => isReady,
    close: () => socket.close(),
  }
}
