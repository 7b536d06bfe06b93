import type { Clock } from '@svc/shared/kit/clock.ts'
import { databaseFailure } from '../db/database-failure.ts'
import { readClientProof } from './client-proof.ts'
import type { ClientsRepository } from './clients.repository.ts'
import type { GrantsRepository } from './grants.repository.ts'
import { normalResources } from './normalize-authorization.ts'
import { hashToken, type OAuthHandler } from './oauth-provider.ts'
import { integrationKey } from './redirect-uri.ts'

type Deps = {
  handler: OAuthHandler
  clients: ClientsRepository
  grants: GrantsRepository
  baseUrl: string
  clock: Pick<Clock, 'monotonic' | 'sleep'>
}

/** A response of the token endpoint. */
export type TokenAnswer = { status: number; body: Record<string, unknown> }

/** How long a refresh that has won may take to store its response. It takes milliseconds. */
const REFRESH_MS = 10_000
/** How long a refresh waits for a concurrent one that has won, and for its own turn if that one never ended. */
const LOST_RACE_MS = REFRESH_MS + 3_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 800

/**
 * Exchanges a code or a refresh token, with checks that the library lacks. An unknown client gets the one error that
 * makes clients register again. Concurrent refreshes get the same response. No token outlives its grant or gains rights
 * for which another address was approved.
 */
export function createExchangeToken({ handler, clients, grants, baseUrl, clock }: Deps) {
  const ask = async (form: URLSearchParams, authorization: string | undefined): Promise<TokenAnswer> => {
    const request = new Request(`${baseUrl}/oauth2/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: form.toString(),
    })
    const answered = await handler(request).catch((error: unknown) => {
      // The person, or the session in which they agreed, was deleted meanwhile.
      if (databaseFailure(error)?.code === 'not_found') return undefined
      throw error
    })
    if (answered === undefined) return refused(400, 'invalid_grant')
    const body = (await answered.json()) as Record<string, unknown>
    return hasLostPerson(body) ? refused(400, 'invalid_grant') : { status: answered.status, body }
  }

  // The winner of a race first makes the old token unusable and stores its response afterwards. A client that got an
  // error in between would forget its tokens.
  const askUntilSettled = async (
    form: URLSearchParams,
    authorization: string | undefined,
    proofRow: string | undefined,
  ): Promise<TokenAnswer> => {
    const refresh = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : null
    const until = clock.monotonic() + LOST_RACE_MS
    let answer = await ask(form, authorization)
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (refresh === null || answer.body['error'] !== 'invalid_grant' || clock.monotonic() > until) return answer
      const isPending = await grants.isRotationPending(hashToken(refresh))
      if (isPending) {
        await grants.undoRotation(hashToken(refresh), { olderThanMs: REFRESH_MS })
        await clock.sleep(pause)
      }
      // The library takes a proof once. This request's own was taken for that answer, and is shown again for the next.
      if (proofRow !== undefined) await clients.forgetProof(proofRow)
      answer = await ask(form, authorization)
      // It was not pending: the response may have been stored meanwhile, so it was asked for once more.
      if (!isPending) return answer
    }
  }

  const isStillGranted = async (form: URLSearchParams, clientId: string, accessToken: string): Promise<boolean> => {
    const key = await grants.findKeyByToken('oauthAccessToken', hashToken(accessToken))
    const redirect = form.get('redirect_uri')
    return key !== undefined && (redirect === null || integrationKey(clientId, redirect) === key)
  }

  return async (given: URLSearchParams, authorization: string | undefined): Promise<TokenAnswer> => {
    // A client that proves itself by its key need not be named beside the proof (RFC 7521, 4.2).
    const proof = readClientProof(given.get('client_assertion'))
    const clientId = given.get('client_id') ?? basicUser(authorization) ?? proof?.clientId
    if (clientId === undefined || (await clients.find(clientId)) === undefined) return refused(401, 'invalid_client')

    const form = new URLSearchParams(given)
    form.delete('resource')
    if (given.has('resource'))
      for (const one of normalResources(given.getAll('resource'), baseUrl)) form.append('resource', one)
    const scope = given.get('scope')?.split(/\s+/).filter(Boolean).join(' ')
    if (scope !== undefined) form.delete('scope') // a grant has the scopes that the person chose, no others
    const refresh = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : null
    if (refresh !== null && (await grants.findKeyByToken('oauthRefreshToken', hashToken(refresh))) === undefined)
      return refused(400, 'invalid_grant')

    // Only the proof of the client itself was verified: another one beside it may be anybody's.
    const proofRow = proof?.clientId === clientId ? proof.row : undefined
    const answer = await askUntilSettled(form, authorization, proofRow)
    const { access_token: access, refresh_token: next } = answer.body
    if (answer.status !== 200 || typeof access !== 'string') return answer
    if (await isStillGranted(form, clientId, access)) return answer

    await grants.deleteTokens([access, ...(typeof next === 'string' ? [next] : [])].map(hashToken))
    return refused(400, 'invalid_grant')
  }
}

/** The library has words of its own for that. Programs ask the person again for `invalid_grant` alone (RFC 6749, 5.2). */
const hasLostPerson = ({ error, error_description: description }: Record<string, unknown>): boolean =>
  error === 'invalid_user' || description === 'user not found' || description === 'session no longer exists'

const refused = (status: number, error: string): TokenAnswer => ({ status, body: { error } })

/** The client of a Basic header (RFC 6749, 2.3.1: both parts are form-encoded). */
function basicUser(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=_-]{1,2000})$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const [user = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)
  return new URLSearchParams(`user=${user}`).get('user') || undefined
}
