import type { IncomingMessage, ServerResponse } from 'node:http'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'

/**
 * A request in the form of the web's API, without its body, which is already parsed. Its signal aborts when the client
 * leaves.
 */
export function webRequestOf({ method = 'GET', headers }: IncomingMessage, response: ServerResponse): Request {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) given.append(name, one)
  // No SDK reads the URL.
  return new Request('http://localhost/mcp', { method, headers: given, signal: signalOfLeaving(response) })
}

function signalOfLeaving(response: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  whenClosed(response, () => {
    if (!response.writableFinished) leaving.abort()
  })
  return leaving.signal
}
