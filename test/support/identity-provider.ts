import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

type Profile = { sub: string; email: string; email_verified: boolean; name: string }

/**
 * An OpenID Connect provider for one test: real discovery, keys, PKCE and signed id tokens, without a password prompt.
 */
export type IdentityProvider = {
  issuer: string
  /** Variables of a control plane that trusts it for the addresses of acme.test. */
  environment: Record<string, string>
  /** Signs a person in at an authorization address; returns where the browser goes next. */
  approve(authorizationUrl: string, profile: Profile): string
  stop(): Promise<void>
}

export const client = { id: 'svc-client', secret: 'svc-client-secret' }

export async function startIdentityProvider(port = 0): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, { profile: Profile; challenge: string; nonce: string | null }>()

  const server = createServer((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const path = request.url?.split('?', 1)[0]
    if (path === '/.well-known/openid-configuration')
      return answer(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (path === '/keys') return answer(200, { keys: [jwk] })
    if (path === '/token') return void token(request).then(({ status, body }) => answer(status, body))
    return answer(404, {})
  })
  const token = async (request: IncomingMessage) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const form = new URLSearchParams(text)
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant === undefined || grant.challenge !== proof) return { status: 400, body: { error: 'invalid_grant' } }
    const idToken = await new SignJWT({ ...grant.profile, ...(grant.nonce === null ? {} : { nonce: grant.nonce }) })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
      .setIssuer(issuer)
      .setAudience(client.id)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
    return {
      status: 200,
      body: { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token: idToken },
    }
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
      OIDC_EMAIL_DOMAINS: 'acme.test',
    },
    approve: (authorizationUrl, profile) => {
      const asked = new URL(authorizationUrl).searchParams
      const code = randomUUID()
      codes.set(code, { profile, challenge: asked.get('code_challenge') ?? '', nonce: asked.get('nonce') })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return back.pathname + back.search
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
