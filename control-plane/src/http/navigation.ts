import type { IncomingMessage } from 'node:http'

/** True when a person looks at the answer: a page that a browser opens, not a request of a script. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'POST') return false
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return headers.accept?.includes('text/html') ?? false
}
