import type { AnswerOf } from '@svc/shared/client/route-call.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail, isFailure, type ServiceError } from '@svc/shared/wire/errors.ts'

type Mutation = AnswerOf<'GET /api/admin/orgs/{orgId}/mutations'>['mutations'][number]

type Options = {
  waitSeconds: number
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  say: (line: string) => void
  /** Reads the operation, which needs no fresh sign-in; undefined when there is none. */
  look: () => Promise<Mutation | undefined>
}

const PAUSE_SECONDS = 2

/**
 * Repeats the same operation while its failure says that a retry may help, within the given time. When the sign-in has
 * become too old for that meanwhile, the operation is only looked at.
 */
export async function retryOperation<T>(ask: () => Promise<T>, options: Options): Promise<T | object> {
  const { waitSeconds, clock, say, look } = options
  const deadline = clock.monotonic() + waitSeconds * 1_000
  let isAsked = false
  let attempt: () => Promise<T | object> = ask
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (isAsked && attempt === ask && isFailure(error, 'fresh_sign_in_required')) {
        attempt = async () => outcomeOf(await look(), error)
        continue
      }
      const again = isFailure(error) && (error.retry === 'same_operation' || error.retry === 'same_request')
      const pause = (isFailure(error) ? (error.retryAfterSeconds ?? PAUSE_SECONDS) : PAUSE_SECONDS) * 1_000
      const isStopped = attempt !== ask && isFailure(error) && isRetryable(error)
      if (!again || isStopped || clock.monotonic() + pause > deadline) throw error
      isAsked = true
      say(`${error.code}: asking again`)
      await clock.sleep(pause)
    }
  }
}

/** Nobody goes on with such an operation until somebody asks for it again. */
const isRetryable = ({ code, details }: ServiceError): boolean =>
  code === 'operation_retryable' && (details as { reason?: string } | undefined)?.reason !== 'Unreachable'

/** What the platform would respond, as far as the list of mutations has it. */
function outcomeOf(mutation: Mutation | undefined, tooOld: ServiceError): object {
  if (mutation === undefined) throw tooOld
  const { operationId, orgId, action, state, failure } = mutation
  const details = { operationId, ...(failure?.reason !== undefined && { reason: failure.reason }) }
  switch (state) {
    case 'succeeded':
      return { ok: true, operationId, orgId, action, state }
    case 'failed':
      throw fail('operation_failed', { ...details, cause: failure?.code })
    case 'retryable':
      throw fail('operation_retryable', details)
    case 'requested':
    case 'executing':
      throw fail('operation_in_progress', details)
  }
}
