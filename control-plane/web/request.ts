import { networkFailure, readFailure } from './api-failure.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Call = { method?: Method; body?: unknown; signal?: AbortSignal }

const listeners = new Set<() => void>()

/** Called whenever an answer says that there is no session. Answers how to stop listening. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** One call of the API. Every write carries JSON, also an empty one: that is what the guard against forgery wants. */
export async function request<T>(path: string, { method = 'GET', body, signal }: Call = {}): Promise<T> {
  const init: RequestInit = { method, credentials: 'same-origin', headers: { accept: 'application/json' } }
  if (signal !== undefined) init.signal = signal
  if (method !== 'GET') {
    init.headers = { ...init.headers, 'content-type': 'application/json' }
    init.body = JSON.stringify(body ?? {})
  }

  let response: Response
  try {
    response = await fetch(path, init)
  } catch (error) {
    if (signal?.aborted) throw error
    throw networkFailure()
  }

  const answered = await response.json().catch(() => undefined)
  if (response.ok && answered !== undefined) return answered as T

  const failure = readFailure({
    status: response.status,
    body: answered,
    retryAfter: response.headers.get('retry-after'),
  })
  if (failure.code === 'unauthenticated') for (const listener of listeners) listener()
  throw failure
}

/** A path with its parts encoded: path`/api/orgs/${id}/api-key`. */
export function path(texts: TemplateStringsArray, ...parts: string[]): string {
  return texts.reduce((whole, text, index) => whole + encodeURIComponent(parts[index - 1] ?? '') + text)
}

/** A query string of what is given; empty values are left out. */
export function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
