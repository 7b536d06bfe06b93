import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { misconfigured, notNow } from '../home/start-failure.ts'

// On a busy machine, the kernel holds the port of a killed process a moment longer than the process lives.
const PATIENCE_MS = 2000
const RETRY_MS = 50

type Where = { host: string; port: number; patienceMs?: number }

/** Listens and returns the address as a URL. A failure carries the exit code that says whether a retry may help. */
export async function listen(server: Server, { host, port, patienceMs = PATIENCE_MS }: Where): Promise<string> {
  const since = performance.now()
  for (;;) {
    server.listen({ host, port, exclusive: true })
    try {
      await once(server, 'listening')
      break
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE') {
        if (performance.now() - since >= patienceMs)
          throw notNow(`port ${port} on ${host} is in use by another process`)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        continue
      }
      if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
        throw misconfigured(`cannot listen on ${host} port ${port}: ${message}`)
      throw error
    }
  }
  const address = server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
