import type { IncomingMessage, ServerResponse } from 'node:http'

// A result that comes sooner is sent in one write with the head of its response.
const HOLD_HEAD_MS = 50

/** A request as the web names it, without its body, which is parsed already. */
export function webRequestOf({ method = 'GET', headers }: IncomingMessage, signal: AbortSignal): Request {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) given.append(name, one)
  // No SDK reads the address.
  return new Request('http://localhost/mcp', { method, headers: given, signal })
}

/**
 * As much of a request as the transport of sessions reads: making a whole one would take as long as a small tool. Names of
 * headers are in lower case, as Node gives them.
 */
export function sessionRequestOf({ method = 'GET', headers }: IncomingMessage): Request {
  const given = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  const values = new Map(given)
  const read = {
    method,
    url: 'http://localhost/mcp',
    headers: { get: (name: string) => values.get(name) ?? null, entries: () => values.entries() },
  }
  return read as unknown as Request
}

/**
 * Sends a response as its body comes, until the client leaves. A stream without anything to say yet shows its head soon.
 */
export async function sendWebResponse({ status, headers, body }: Response, to: ServerResponse): Promise<void> {
  to.writeHead(status, Object.fromEntries(headers))
  if (!body) return void to.end()
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  to.once('close', leave)
  const head = setTimeout(() => to.flushHeaders(), HOLD_HEAD_MS)
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(head)
      if (!to.write(part.value) && !to.destroyed) await drained(to)
    }
    to.end()
  } catch {
    to.destroy()
  } finally {
    clearTimeout(head)
    to.off('close', leave)
  }
}

/** Resolves when more may be written, or nothing any more. */
function drained(to: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      to.off('drain', done).off('close', done)
      resolve()
    }
    to.on('drain', done).on('close', done)
  })
}
