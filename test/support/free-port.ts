import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * A free port below the range from which the system assigns ports. It is reserved until this process ends: no other
 * caller gets it before a program listens on it, or while that program restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    // The name of a socket in no folder: the system frees it with the process, like a port.
    const reservation = createServer().unref()
    if (!(await hasListened(reservation, { path: `\0svc-test-port-${port}` }))) continue
    const server = createServer()
    if (await hasListened(server, { port, host: '127.0.0.1' })) {
      server.close()
      await once(server, 'close')
      return port
    }
    reservation.close()
  }
}

function hasListened(server: Server, where: { path: string } | { port: number; host: string }): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(where, () => resolve(true))
  })
}
