import { addressOf, type AnswerOf, type CallArguments, type Route } from '@svc/shared/client/route-call.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'

export type AdminClient = ReturnType<typeof createAdminClient>
type Values = Record<string, unknown>
type Input = { params?: Values; query?: Values; body?: object }

/** How a client proves who it is: a bearer token, or the cookie of a session. */
export type Credential = { authorization: string } | { cookie: string }

/** A control plane that does not respond within this time counts as unreachable. */
export const ANSWER_WITHIN_MS = 60_000
/** The response consists of lines, not JSON, so the types of the client do not have this route. */
const EXPORT = 'GET /api/admin/audit/export'

/** The client of the CLI for the control plane. Throws failures of the error catalogue as such. */
export function createAdminClient(baseUrl: string, credential: Credential) {
  const send = async (route: Route | typeof EXPORT, { body, ...where }: Input): Promise<Response> => {
    const { method, path } = addressOf(route, where)
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
    call: async <R extends Route>(route: R, ...[input]: CallArguments<R>): Promise<AnswerOf<R>> =>
      (await answered(await send(route, (input ?? {}) as Input))) as AnswerOf<R>,
    /** Exports one chain of the audit. The lines are passed on without being parsed. */
    exportAudit: async function* (chain: string): AsyncGenerator<string> {
      const response = await send(EXPORT, { query: { chain } })
      if (!response.ok || response.body === null) await answered(response)
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) yield decoder.decode(chunk as Uint8Array, { stream: true })
    },
  }
}

/**
 * The origin of the control plane: `--url`, SVC_ADMIN_URL or BASE_URL. Plain http is allowed to this machine only, because
 * the request carries a credential.
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
