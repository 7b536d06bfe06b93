import type { z } from 'zod'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { ConfigurationError } from '@svc/shared/kit/env.ts'

export type AdminClient = ReturnType<typeof createAdminClient>
type Call = { method: 'GET' | 'POST' | 'PUT'; path: string; body?: object }

/** How a client proves who it is: a bearer token, or the cookie of a session. */
export type Credential = { authorization: string } | { cookie: string }

const ANSWER_WITHIN_MS = 60_000

/** The client of the CLI for the control plane. Throws failures of the error catalogue as such. */
export function createAdminClient(baseUrl: string, credential: Credential) {
  const send = async ({ method, path, body }: Call): Promise<Response> => {
    const headers = {
      accept: 'application/json',
      ...credential,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    try {
      const text = body === undefined ? undefined : JSON.stringify(body)
      // Following a redirect would send the credential elsewhere.
      return await fetch(new URL(path, baseUrl), { method, headers, body: text, redirect: 'error', signal })
    } catch (error) {
      throw unreachable(baseUrl, error)
    }
  }

  const answered = async (response: Response): Promise<unknown> => {
    const text = await response.text()
    const body = parse(text)
    if (response.ok && body !== undefined) return body
    const seconds = Number(response.headers.get('retry-after')) || undefined
    const failure = readErrorBody(body)
    if (failure) throw fail(failure.code, failure.details, { message: failure.message, retryAfterSeconds: seconds })
    throw fail('daemon_unreachable', { status: response.status }, { message: `${baseUrl} did not answer as expected.` })
  }

  return {
    get: async <T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> =>
      schema.parse(await answered(await send({ method: 'GET', path }))),
    post: async <T extends z.ZodType>(path: string, body: object, schema: T): Promise<z.output<T>> =>
      schema.parse(await answered(await send({ method: 'POST', path, body }))),
    put: async <T extends z.ZodType>(path: string, body: object, schema: T): Promise<z.output<T>> =>
      schema.parse(await answered(await send({ method: 'PUT', path, body }))),
    /** A request body that is passed on unread. */
    stream: async function* (path: string): AsyncGenerator<string> {
      const response = await send({ method: 'GET', path })
      if (!response.ok || response.body === null) await answered(response)
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) yield decoder.decode(chunk as Uint8Array, { stream: true })
    },
  }
}

/**
 * The origin of the control plane: `--url` or SVC_ADMIN_URL. Plain http is allowed to this machine only, because the
 * request carries a credential.
 */
export function adminUrl(text: string | undefined): string {
  if (text === undefined)
    throw new ConfigurationError([{ path: 'SVC_ADMIN_URL', message: 'is needed: the origin of the control plane' }])
  const url = URL.canParse(text) ? new URL(text) : undefined
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '')
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && loopback))
    throw new ConfigurationError([{ path: 'SVC_ADMIN_URL', message: 'must be https, or http to this machine' }])
  return url.origin
}

/** There was no response. The request may have arrived, so retry with the same operation id. */
export function unreachable(baseUrl: string, error: unknown) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  const message = `${baseUrl} cannot be reached: ${cause}`
  return fail('operation_retryable', { reason: 'Unreachable' }, { message, cause: error })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
