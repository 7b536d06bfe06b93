import type { Tunnel } from '@svc/shared/mux/tunnel.ts'
import { DaemonConnection, type AnswerHandler, type DaemonRequest } from './daemon-connection.ts'

const TICK_MS = 1_000

/** HTTP/1.1 over the streams of one tunnel. Streams are kept open between requests; each request names its person. */
export type DaemonPool = {
  /** Sends a request over a stream of its own. Throws `daemon_offline` or `relay_overloaded` where there is none. */
  send(request: DaemonRequest, handler: AnswerHandler): DaemonConnection
  /** Lets requests finish and closes idle streams. */
  close(): void
}

/** A pool that costs nothing until its tunnel carries its first request. */
export function createDaemonPool(tunnel: Pick<Tunnel, 'openChannel'>): DaemonPool {
  const idle: DaemonConnection[] = []
  const all = new Set<DaemonConnection>()
  let ticks: NodeJS.Timeout | undefined
  let closing = false

  const over = (connection: DaemonConnection) => {
    all.delete(connection)
    const at = idle.indexOf(connection)
    if (at >= 0) idle.splice(at, 1)
    if (all.size > 0) return
    clearInterval(ticks)
    ticks = undefined
  }
  const freed = (connection: DaemonConnection) => {
    if (closing) connection.abort()
    else idle.push(connection)
  }
  const open = (): DaemonConnection => {
    const connection = new DaemonConnection({ channel: tunnel.openChannel(), freed, over })
    all.add(connection)
    ticks ??= setInterval(() => {
      for (const one of all) one.tick()
    }, TICK_MS).unref()
    return connection
  }
  /** The most recently used stream, so that surplus streams become idle and are closed. */
  const take = (): DaemonConnection => {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) {
      if (found.fresh) return found
      found.abort()
    }
    return open()
  }

  return {
    send: (request, handler) => {
      const connection = take()
      try {
        connection.send(request, handler)
      } catch (error) {
        connection.abort()
        throw error
      }
      return connection
    },
    close: () => {
      closing = true
      for (const connection of idle.splice(0)) connection.abort()
    },
  }
}
