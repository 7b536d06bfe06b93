import { addressOf, type AnswerOf, type CallArguments, type Route } from '@svc/shared/client/route-call.ts'
import { networkFailure, readFailure } from './api-failure.ts'

type Values = Record<string, unknown>
type Input = { params?: Values; query?: Values; body?: unknown; signal?: AbortSignal | undefined }

const listeners = new Set<() => void>()

/** Calls `listener` whenever a response says that there is no session. Returns a function that stops this. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Writes in flight, and the number of finished ones. A write may replace the session: its response carries the new
 * cookie.
 */
const writes = new Set<Promise<Response>>()
let endedWrites = 0

async function send(path: string, init: RequestInit): Promise<Response> {
  const endedBefore = endedWrites
  const sent = fetch(path, init)
  if (init.method !== 'GET') {
    writes.add(sent)
    const end = () => {
      writes.delete(sent)
      endedWrites += 1
    }
    sent.then(end, end)
    return sent
  }
  const response = await sent
  if (response.status !== 401 || (writes.size === 0 && endedWrites === endedBefore)) return response
  // A write may have replaced the session of this request. The 401 then says nothing about the current session, so try
  // again.
  await Promise.allSettled(writes)
  return fetch(path, init)
}

/**
 * One call of the API. Every write sends JSON, even an empty body: the protection against request forgery requires it.
 */
export async function call<R extends Route>(
  route: R,
  ...[input]: CallArguments<R, { signal?: AbortSignal | undefined }>
): Promise<AnswerOf<R>> {
  const { params, query, body, signal } = (input ?? {}) as Input
  const { method, path } = addressOf(route, { params, query })
  const init: RequestInit = { method, credentials: 'same-origin', headers: { accept: 'application/json' } }
  if (signal !== undefined) init.signal = signal
  if (method !== 'GET') {
    init.headers = { ...init.headers, 'content-type': 'application/json' }
    init.body = JSON.stringify(body ?? {})
  }

  let response: Response
  try {
    response = await send(path, init)
  } catch (error) {
    if (signal?.aborted) throw error
    throw networkFailure()
  }

  const answered = await response.json().catch(() => undefined)
  if (response.ok && answered !== undefined) return answered as AnswerOf<R>

  const failure = readFailure({
    status: response.status,
    body: answered,
    retryAfter: response.headers.get('retry-after'),
  })
  if (failure.code === 'unauthenticated') for (const listener of listeners) listener()
  throw failure
}
