import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { systemClock } from '@svc/shared/kit/clock.ts'

const PROBE_MS = 200
/**
 * How long a probe waits. A stopped replica refuses at once, so a slow one runs on a busy machine and still counts as
 * ready.
 */
const BUSY_MS = 20_000

/** A target of connections. It gets connections as long as its readiness address returns 200. */
export type Backend = { name: string; port: number; readyPort: number }

/** Pipes one connection, for example with a delay. */
export type Line = (client: Socket, backend: Socket) => void

export type LoadBalancer = { port: number; close(): void }

const direct: Line = (client, backend) => {
  client.pipe(backend).pipe(client)
}

/** Sends connections to the ready backends in turn, like a Service of a cluster; if one refuses, to the next. */
export async function startLoadBalancer(backends: Backend[], line: Line = direct): Promise<LoadBalancer> {
  const ready = new Set<Backend>()
  const stopped = new AbortController()
  const probe = async (backend: Backend): Promise<void> => {
    while (!stopped.signal.aborted) {
      if (await isReady(backend.readyPort)) ready.add(backend)
      else ready.delete(backend)
      await systemClock.sleep(PROBE_MS, stopped.signal).catch(() => {})
    }
  }
  for (const backend of backends) void probe(backend)

  let turn = 0
  const open = (client: Socket, tries: number): void => {
    const candidates = backends.filter((backend) => ready.has(backend))
    const backend = candidates[(turn += 1) % Math.max(1, candidates.length)]
    if (backend === undefined || tries === 0) return void client.destroy()
    const socket = connect({ port: backend.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const refused = () => open(client, tries - 1)
    socket.once('error', refused)
    socket.once('connect', () => {
      socket.off('error', refused)
      for (const [one, other] of [[client, socket] as const, [socket, client] as const]) {
        one.on('error', () => other.destroy())
        one.once('close', () => other.destroySoon())
      }
      line(client, socket)
    })
  }
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.on('error', () => {})
    open(client, backends.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      stopped.abort()
      server.close()
    },
  }
}

type Delays = { minMs: number; maxMs: number; stallMs: number; stallEveryMs: number }

/** A slow line: bytes arrive 50–200 ms later, in order, and sometimes pause as long as a retransmission takes. */
export function slowLine({ minMs, maxMs, stallMs, stallEveryMs }: Delays): Line {
  const oneWay = (from: Socket, to: Socket) => {
    const queue: { dueAt: number; act: () => void }[] = []
    let stallAt = systemClock.monotonic() + Math.random() * stallEveryMs
    let moving = false
    const move = () => {
      const now = systemClock.monotonic()
      while (queue[0] !== undefined && queue[0].dueAt <= now) queue.shift()!.act()
      moving = queue[0] !== undefined
      if (queue[0] !== undefined) setTimeout(move, queue[0].dueAt - now)
    }
    const later = (act: () => void) => {
      const now = systemClock.monotonic()
      const stalled = now > stallAt ? stallMs : 0
      if (stalled > 0) stallAt = now + stallEveryMs * (0.5 + Math.random())
      const dueAt = Math.max(queue.at(-1)?.dueAt ?? 0, now + stalled + minMs + Math.random() * (maxMs - minMs))
      queue.push({ dueAt, act })
      if (!moving) move()
    }
    from.on('data', (chunk: Buffer) => later(() => to.writable && to.write(chunk)))
    from.on('end', () => later(() => to.end()))
  }
  return (client, backend) => {
    oneWay(client, backend)
    oneWay(backend, client)
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/ready', timeout: BUSY_MS, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
