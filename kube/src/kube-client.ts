import { HttpMethod, RequestContext, type KubeConfig } from '@kubernetes/client-node'
import { request as undiciRequest, type Dispatcher } from 'undici'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { KubeError } from './kube-error.ts'
import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'

export type KubeRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string | number | undefined>
  body?: unknown
  /** The type of a PATCH. `apply` is server-side apply. */
  patch?: 'merge' | 'apply'
  signal?: AbortSignal
}

/** One finished call; reported to metrics and to tests. */
export type KubeCall = { method: string; path: string; query: string; status: number; bytes: number }

export type KubeClient = {
  request<T>(request: KubeRequest): Promise<T>
  /** Passes on each line of a response that does not end by itself; resolves when the server ends it. */
  follow(request: KubeRequest, onLine: (line: string) => void): Promise<void>
}

export type KubeClientOptions = {
  config: KubeConfig
  clock: Clock
  /** Aborts writes: a process that lost its lease must change nothing. */
  fence?: AbortSignal
  onCall?: (call: KubeCall) => void
}

const TIMEOUT_MS = 30_000
const MOST_ATTEMPTS = 5
const LONGEST_PAUSE_S = 30
const contentTypes = { merge: 'application/merge-patch+json', apply: 'application/apply-patch+yaml' } as const

/** A client of the Kubernetes API: one connection pool, typed failures, and retries after 429. */
export function createKubeClient({ config, clock, fence, onCall = () => {} }: KubeClientOptions): KubeClient {
  const send = async (request: KubeRequest, signal: AbortSignal) => {
    const { method, path, query = {}, body, patch } = request
    const server = config.getCurrentCluster()?.server
    if (server === undefined) throw new Error('the kubeconfig names no cluster')
    const url = new URL(server.replace(/\/$/, '') + path)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))

    const context = new RequestContext(url.toString(), HttpMethod.GET)
    await config.applySecurityAuthentication(context)
    const headers: Record<string, string> = { ...context.getHeaders(), accept: 'application/json' }
    if (body !== undefined) headers['content-type'] = patch ? contentTypes[patch] : 'application/json'
    const answer = await undiciRequest(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      dispatcher: context.getDispatcher() as Dispatcher | undefined,
      signal,
      bodyTimeout: 0,
    })
    const told = (bytes: number) => onCall({ method, path, query: url.search, status: answer.statusCode, bytes })
    return { answer, told }
  }

  const attemptOf = (request: KubeRequest) => async (signal: AbortSignal) => {
    const { answer, told } = await send(request, signal)
    const text = await answer.body.text()
    told(text.length)
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], text }
  }

  const request = async <T>(request: KubeRequest): Promise<T> => {
    const signals = [request.signal, request.method === 'GET' ? undefined : fence]
    for (let attempt = 1; ; attempt++) {
      const { status, text, ...answer } = await withTimeLimit({ ms: TIMEOUT_MS, signals }, attemptOf(request))
      if (status < 300) return JSON.parse(text) as T

      // The server has processed nothing, so even a write can be sent again.
      if (status !== 429 || attempt === MOST_ATTEMPTS) throw kubeError(status, text)
      const pauseMs = retryAfter(answer.retryAfter) * 1_000
      await withTimeLimit({ ms: pauseMs + TIMEOUT_MS, signals }, (signal) => clock.sleep(pauseMs, signal))
    }
  }

  const follow = async (request: KubeRequest, onLine: (line: string) => void): Promise<void> => {
    const signal = request.signal ?? new AbortController().signal
    const { answer, told } = await send(request, signal)
    told(0)
    if (answer.statusCode >= 300) throw kubeError(answer.statusCode, await answer.body.text())
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(line)
    }
  }

  return { request, follow }
}

function retryAfter(header: string | string[] | undefined): number {
  const seconds = Number(Array.isArray(header) ? header[0] : header)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_PAUSE_S) : 1
}

function kubeError(status: number, text: string): KubeError {
  try {
    const { reason = '', message = '' } = JSON.parse(text) as { reason?: string; message?: string }
    return new KubeError({ status, reason, message })
  } catch {
    return new KubeError({ status, reason: '', message: text.slice(0, 200) })
  }
}
