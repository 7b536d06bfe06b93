import { request as begin, type IncomingMessage } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { localHost } from './local-address.ts'

/** A request of a command. */
export type CommandRequest = {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Blob
  signal?: AbortSignal
}

/**
 * Sends a request to a daemon of this machine and waits for the response however long it takes: the daemon responds to
 * an import when the vault is complete. `fetch` gives up after five minutes.
 */
export function patientRequest(url: string | URL, request: CommandRequest = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body = '', signal } = request
  const content = typeof body === 'string' ? new Blob([body]) : body
  const length = content.size > 0 || method !== 'GET' ? { 'content-length': String(content.size) } : {}
  return new Promise((resolve, reject) => {
    // `fetch` cannot send another Host.
    const sent = { ...headers, ...length, host: localHost(url) }
    const outgoing = begin(url, { method, headers: sent, agent: false, ...(signal && { signal }) })
    outgoing.on('response', (incoming) => resolve(toResponse(incoming)))
    outgoing.on('error', reject)
    if (content.size === 0) outgoing.end()
    // An error of either side ends both, and the request reports it.
    else pipeline(Readable.from(content.stream()), outgoing, () => {})
  })
}

function toResponse(incoming: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>, {
    status: incoming.statusCode ?? 0,
    headers,
  })
}
