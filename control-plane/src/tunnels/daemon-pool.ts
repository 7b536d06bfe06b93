import type { Tunnel } from '@svc/shared/mux/tunnel.ts'
import { DaemonConnection, type ResponseHandler, type DaemonRequest } from './daemon-connection.ts'

const TICK_MS = 1_000

/**
 * HTTP/1.1 over the streams of one tunnel. Streams stay open between requests; each request names its person. A pool
 * allocates almost nothing until its tunnel carries its first request, because most tunnels are idle.
 */
export class DaemonPool {
  readonly #tunnel: Pick<Tunnel, 'openStream'>
  #used: PoolInUse | undefined
  #closing = false

  constructor(tunnel: Pick<Tunnel, 'openStream'>) {
    this.#tunnel = tunnel
  }

  /** Sends a request over a stream of its own. Throws `daemon_offline` or `relay_overloaded` when there is none. */
  send(request: DaemonRequest, handler: ResponseHandler): DaemonConnection {
    const connection = this.#take()
    try {
      connection.send(request, handler)
    } catch (error) {
      connection.abort()
      throw error
    }
    return connection
  }

  /** Lets requests finish and closes idle streams. */
  close(): void {
    this.#closing = true
    for (const connection of this.#used?.idle.splice(0) ?? []) connection.abort()
  }

  /** The most recently used stream, so that surplus streams become idle and are closed. */
  #take(): DaemonConnection {
    // Aborting the last one gives up all that is in use.
    for (let found = this.#used?.idle.pop(); found !== undefined; found = this.#used?.idle.pop()) {
      if (found.fresh) return found
      found.abort()
    }
    return this.#open((this.#used ??= this.#begin()))
  }

  #begin(): PoolInUse {
    const used: PoolInUse = {
      idle: [],
      all: new Set(),
      ticks: undefined,
      freed: (connection) => {
        if (this.#closing || !connection.fresh) connection.abort()
        else used.idle.push(connection)
      },
      over: (connection) => this.#over(used, connection),
    }
    return used
  }

  #open(used: PoolInUse): DaemonConnection {
    const { all, freed, over } = used
    const connection = new DaemonConnection({ stream: this.#tunnel.openStream(), freed, over })
    all.add(connection)
    used.ticks ??= setInterval(() => {
      for (const one of all) one.tick()
    }, TICK_MS).unref()
    return connection
  }

  #over(used: PoolInUse, connection: DaemonConnection): void {
    used.all.delete(connection)
    const at = used.idle.indexOf(connection)
    if (at >= 0) used.idle.splice(at, 1)
    if (used.all.size > 0) return
    clearInterval(used.ticks)
    if (this.#used === used) this.#used = undefined
  }
}

type Listener = (connection: DaemonConnection) => void
type PoolInUse = {
  idle: DaemonConnection[]
  all: Set<DaemonConnection>
  ticks: NodeJS.Timeout | undefined
  freed: Listener
  over: Listener
}
