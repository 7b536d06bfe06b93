import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { misconfigured, notNow } from '../home/start-failure.ts'

/** Listens and returns the address as a URL. A failure has the exit code that says whether a retry may help. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  server.listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw notNow(`port ${port} on ${host} is in use by another process`)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw misconfigured(`cannot listen on ${host} port ${port}: ${message}`)
    throw error
  }
  const address = server.address() as AddressInfo
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
