import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Auth } from './auth.ts'

type Handler = (request: Request) => Promise<Response>
type Deps = { make(): Pick<Auth, 'handler'>; clock: Clock }

const MAKE_ANEW_AFTER_MS = 5_000

/**
 * The sign-in handler. It reads an identity provider's discovery document once, when it is created. If the provider was
 * away then, the handler is created again for the next person who wants to use it.
 */
export function createAuthHandler({ make, clock }: Deps): Handler {
  let auth = make()
  let madeAt = clock.monotonic()

  return async (request) => {
    const again = request.clone()
    const answer = await auth.handler(request)
    const young = clock.monotonic() - madeAt < MAKE_ANEW_AFTER_MS
    if (answer.status !== 404 || young || !(await lacksProvider(answer))) return answer

    auth = make()
    madeAt = clock.monotonic()
    return auth.handler(again)
  }
}

async function lacksProvider(answer: Response): Promise<boolean> {
  const body = (await answer
    .clone()
    .json()
    .catch(() => undefined)) as { code?: string } | undefined
  return body?.code === 'PROVIDER_NOT_FOUND'
}
