import { getCACertificates } from 'node:tls'
import { Agent, request } from 'undici'

export type RegistryRequest = { method: 'HEAD' | 'GET'; url: URL; headers: Record<string, string> }
export type RegistryAnswer = { status: number; header(name: string): string | undefined; body: Buffer }

/** The requests to a registry for one purpose: limited in time and size, without redirects. */
export type RegistryHttp = { send(request: RegistryRequest): Promise<RegistryAnswer>; close(): Promise<void> }

type Options = { /** PEM of authorities beyond the known ones. */ ca: string | undefined; withinMs: number }

// Manifests and indexes are a few kilobytes; registries accept at most 4 MiB.
const LONGEST_BODY = 4 * 1024 * 1024

/** Opens a series of requests that must all end within `withinMs`. Failures throw. */
export function createRegistryHttp({ ca, withinMs }: Options): RegistryHttp {
  const authorities = ca === undefined ? undefined : [...getCACertificates('default'), ca]
  const agent = new Agent({ connect: authorities === undefined ? {} : { ca: authorities }, allowH2: false })
  const signal = AbortSignal.timeout(withinMs)

  return {
    async send({ method, url, headers }) {
      const { statusCode, headers: answered, body } = await request(url, { method, headers, dispatcher: agent, signal })
      const parts: Buffer[] = []
      let size = 0
      for await (const part of body) {
        parts.push(part as Buffer)
        if ((size += (part as Buffer).length) > LONGEST_BODY) throw new Error('the registry answered too much')
      }
      const header = (name: string) => {
        const value = answered[name]
        return Array.isArray(value) ? value.join(', ') : value
      }
      return { status: statusCode, header, body: Buffer.concat(parts) }
    },
    close: () => agent.destroy(),
  }
}
