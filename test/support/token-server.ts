import { createSign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Certificate } from './certificates.ts'

export const SERVICE = 'registry of the tests'
export const ISSUER = 'token server of the tests'

/** A request that a token server received, with the user who sent it; undefined means without credentials. */
export type TokenRequest = { user: string | undefined; scope: string | null; service: string | null }

type Options = { signer: Certificate; mayPull: (user: string | undefined) => boolean }

/**
 * The authorization service of a registry, by the registry's token specification: it signs the permissions of a user.
 */
export async function startTokenServer({ signer, mayPull }: Options) {
  const requests: TokenRequest[] = []
  const server: Server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    const [user] = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64')
      .toString()
      .split(':')
    const asked = { user: user || undefined, scope: searchParams.get('scope'), service: searchParams.get('service') }
    requests.push(asked)
    const [type = '', name = '', actions = ''] = asked.scope?.split(':') ?? []
    const access = mayPull(asked.user) ? [{ type, name, actions: actions.split(',') }] : []
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ token: sign(signer, { sub: asked.user ?? '', access }) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    requests,
    realm: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    stop: () => void server.close(),
  }
}

/** A token with all rights on a repository, for pushing test images. */
export const tokenFor = (signer: Certificate, repository: string): string =>
  sign(signer, { sub: 'pusher', access: [{ type: 'repository', name: repository, actions: ['pull', 'push'] }] })

function sign({ key, cert }: Certificate, claims: object): string {
  const now = Math.floor(systemClock.now().getTime() / 1_000)
  const x5c = [cert.replace(/-----[A-Z ]+-----|\s/g, '')]
  const body = { iss: ISSUER, aud: SERVICE, iat: now, nbf: now - 10, exp: now + 300, jti: `${now}`, ...claims }
  const text = [{ typ: 'JWT', alg: 'RS256', x5c }, body]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
}
