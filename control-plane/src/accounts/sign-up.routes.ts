import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import {
  ConfirmSignUpRequest,
  ResendSignUpRequest,
  SignUpPreview,
  SignUpRequest,
  SignUpToken,
} from '@svc/shared/wire/accounts.api.ts'
import { Done } from '@svc/shared/wire/control-plane.api.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { cookieValues, siblingCookie } from '../http/session-cookie.ts'
import { untilNextBeat } from './answer-alike.ts'
import type { SignUp } from './sign-up.ts'

type Deps = { signUp: SignUp; rateLimit: RateLimit; clock: Clock; sessionCookie: string }

const COOKIE_SECONDS = 86_400
const done = { ok: true as const }

/**
 * Limits of calls in a window, per client and per address. A token cannot be guessed; its limit only bounds the load.
 */
const limits = {
  signUp: { client: 30, address: 15, seconds: 300 },
  resend: { client: 20, address: 5, seconds: 600 },
  token: { client: 60, seconds: 300 },
}

/** Sign-up with e-mail and password. Known and unknown addresses get the same response after the same time. */
export function signUpRoutes({ signUp, rateLimit, clock, sessionCookie }: Deps): FastifyPluginAsyncZod {
  const cookieName = siblingCookie(sessionCookie, 'sign_up')
  const cookieLine = (value: string, seconds: number) =>
    `${cookieName}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${cookieName.startsWith('__Host-') ? '; Secure' : ''}`
  const browserOf = ({ headers }: FastifyRequest): string | undefined => {
    const [secret, ...others] = cookieValues(headers.cookie, cookieName)
    return others.length === 0 ? secret : undefined
  }
  const limit = async (key: keyof typeof limits, { clientAddress }: FastifyRequest, email?: string) => {
    const { seconds, client, ...about } = { address: 0, ...limits[key] }
    await rateLimit({ key: `sign-up:${key}`, client: clientAddress, max: client, seconds })
    if (email !== undefined) await rateLimit({ key: `sign-up:${key}`, client: email, max: about.address, seconds })
  }

  return async (app) => {
    app.post(
      '/api/auth/sign-up/email',
      { schema: { body: SignUpRequest, response: { 200: Done } } },
      async (request, reply) => {
        const began = clock.monotonic()
        await limit('signUp', request, request.body.email)
        const browser = await signUp.begin(request.body)
        await untilNextBeat(clock, began)
        reply.header('set-cookie', cookieLine(browser, COOKIE_SECONDS))
        return done
      },
    )

    app.post(
      '/api/auth/sign-up/resend',
      { schema: { body: ResendSignUpRequest, response: { 200: Done } } },
      async (request) => {
        const began = clock.monotonic()
        const { email } = request.body
        await limit('resend', request, email)
        await signUp.resend(email, browserOf(request))
        await untilNextBeat(clock, began)
        return done
      },
    )

    app.post(
      '/api/auth/sign-up/preview',
      { schema: { body: SignUpToken, response: { 200: SignUpPreview } } },
      async (request) => {
        await limit('token', request)
        return { ...done, signUp: await signUp.preview(request.body.token, browserOf(request)) }
      },
    )

    app.post(
      '/api/auth/sign-up/confirm',
      { schema: { body: ConfirmSignUpRequest, response: { 200: Done } } },
      async (request, reply) => {
        await limit('token', request)
        const { token, account } = request.body
        await signUp.confirm({ token, account, browser: browserOf(request) }, reply)
        reply.header('set-cookie', cookieLine('', 0)).header('cache-control', 'no-store')
        return done
      },
    )
  }
}
