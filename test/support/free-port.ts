import { once } from 'node:events'
import { createServer } from 'node:net'

const handedOut = new Set<number>()

/**
 * A free port below the range from which the system assigns ports. No other process gets the port before a program
 * listens on it, or while that program restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    if (handedOut.has(port)) continue
    handedOut.add(port)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
