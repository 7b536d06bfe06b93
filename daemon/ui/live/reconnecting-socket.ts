import { DaemonMessage, type ClientMessage } from '@svc/shared/wire/daemon/live-messages.ts'
import type { Timers } from './timers.ts'

/** The used part of a WebSocket. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener'>

type Options = {
  open(): Socket
  timers: Timers
  connected(): void
  received(message: DaemonMessage): void
  /** The connection has ended. Returns the milliseconds until the next connection; undefined for none. */
  lost(closing: { code: number; reason: string }): number | undefined
}

/** One connection at a time, opened again after each break. */
export function reconnectingSocket({ open, timers, connected, received, lost }: Options) {
  let socket: Socket | undefined

  function ended(closing: { code: number; reason: string }): void {
    socket = undefined
    const wait = lost(closing)
    if (wait !== undefined) timers.later('retry', wait, connect)
  }

  function connect(): void {
    timers.cancel('retry')
    if (socket) return
    const opened = open()
    socket = opened
    opened.addEventListener('open', () => {
      if (socket === opened) connected()
    })
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened) return
      const message = parse(String(data))
      if (message === undefined) opened.close(4400)
      else received(message)
    })
    opened.addEventListener('close', ({ code, reason }) => {
      if (socket === opened) ended({ code, reason })
    })
    // The close event has all information, but without a listener some sockets throw.
    opened.addEventListener('error', () => {})
  }

  return {
    connect,
    send: (message: ClientMessage) => socket?.send(JSON.stringify(message)),
    /** Ends the connection for a reason and reconnects. Does not wait for the other side, which may be gone. */
    drop: (code: number, reason = '') => {
      const dropped = socket
      if (!dropped) return
      ended({ code, reason })
      dropped.close(code)
    },
    stop: () => {
      const last = socket
      socket = undefined
      last?.close(1000)
    },
  }
}

function parse(data: string): DaemonMessage | undefined {
  try {
    return DaemonMessage.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
