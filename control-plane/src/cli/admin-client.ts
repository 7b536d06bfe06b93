import { addressOf, type AnswerOf, type CallArguments, type Route } from '@svc/shared/client/route-call.ts'
import { readErrorBody } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { withTimeLimit } from '@svc/shared/kit/time-limit.ts'
import { within } from '@svc/shared/kit/within.ts'

export type AdminClient = ReturnType<typeof createAdminClient>
type Values = Record<string, unknown>
type Input = { params?: Values; query?: Values; body?: object }

/** How a client proves who it is: a bearer token, or the cookie of a session. */
export type Credential = { authorization: string } | { cookie: string }

/** A control plane that does not respond within this time counts as unreachable. */
export const ANSWER_WITHIN_MS = 60_000
/** A verification reads every chain before it responds. */
const VERIFICATION: Route = 'GET /api/admin/audit/verify'
const VERIFIED_WITHIN_MS = 300_000
/** The response consists of lines, not JSON, so the types of the client do not have this route. */
const EXPORT = 'GET /api/admin/audit/export'

/** The client of the CLI for the control plane. Throws failures of the error catalogue as such. */
export function createAdminClient(baseUrl: string, credential: Credential) {
  const lost = (error: unknown): never => {
    throw unreachable(baseUrl, error)
  }

  const send = (route: Route | typeof EXPORT, { body, ...where }: Input, signal: AbortSignal): Promise<Response> => {
    const { method, path } = addressOf(route, where)
    const headers = {
      accept: 'application/json',
      ...credential,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const text = body === undefined ? undefined : JSON.stringify(body)
    // Following a redirect would send the credential elsewhere.
    return fetch(new URL(path, baseUrl), { method, headers, body: text, redirect: 'error', signal }).catch(lost)
  }

  const answered = async (response: Response): Promise<unknown> => {
    const text = await response.text().catch(lost)
    const body = parse(text)
    if (response.ok && body !== undefined) return body
    throw failureOf(response, text) ?? unexpected(baseUrl, response)
  }

  /** The chunks of a body, which may take any time as a whole, but not be silent for long. */
  const chunksOf = async function* (body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const reader = body.getReader()
    const late = () => new Error(`nothing within ${ANSWER_WITHIN_MS / 1_000} s`)
    try {
      for (;;) {
        const { done, value } = await within(reader.read(), { ms: ANSWER_WITHIN_MS, late }).catch(lost)
        if (done) return
        yield value
      }
    } finally {
      reader.cancel().catch(() => {})
    }
  }

  return {
    call: async <R extends Route>(route: R, ...[input]: CallArguments<R>): Promise<AnswerOf<R>> => {
      const ms = route === VERIFICATION ? VERIFIED_WITHIN_MS : ANSWER_WITHIN_MS
      const answer = withTimeLimit({ ms }, async (signal) =>
        answered(await send(route, (input ?? {}) as Input, signal)),
      )
      return (await answer) as AnswerOf<R>
    },
    /** Exports one chain of the audit. The lines are passed on without being parsed. */
    exportAudit: async function* (chain: string): AsyncGenerator<string> {
      const response = await withTimeLimit({ ms: ANSWER_WITHIN_MS }, async (signal) => {
        const begun = await send(EXPORT, { query: { chain } }, signal)
        if (!begun.ok || begun.body === null) await answered(begun)
        return begun
      })
      const decoder = new TextDecoder()
      for await (const chunk of chunksOf(response.body!)) yield decoder.decode(chunk, { stream: true })
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

/** The failure of the error catalogue that a response reports; undefined when it reports none, as those of a proxy. */
export function failureOf(response: Response, text: string) {
  const failure = readErrorBody(parse(text))
  const retryAfterSeconds = Number(response.headers.get('retry-after')) || undefined
  return failure && fail(failure.code, failure.details, { message: failure.message, retryAfterSeconds })
}

/** Something else than the platform responded. */
export const unexpected = (baseUrl: string, { status }: Response) =>
  fail('daemon_unreachable', { status }, { message: `${baseUrl} did not answer as expected.` })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
