import { randomBytes } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { readClientMetadata, type MetadataRefusal } from './client-metadata.ts'
import type { SecretStore } from './client-secrets.ts'
import type { ClientsRepository } from './clients.repository.ts'
import { AGENT_SCOPES, OFFLINE } from './oauth-metadata.ts'

type Deps = { clients: ClientsRepository; secrets: SecretStore; clock: Pick<Clock, 'now'> }

/**
 * Registers a client (RFC 7591). The library's own registration stores scripts as addresses and names of any length,
 * and refuses what common clients send. This one replaces it, so the library sees only valid rows.
 */
export function createRegisterClient({ clients, secrets, clock }: Deps) {
  return async (body: unknown): Promise<{ client_id: string } | MetadataRefusal> => {
    const metadata = readClientMetadata(body)
    if ('error' in metadata) return metadata

    const { name, uri, redirectUris } = metadata
    // Only a metadata document may give a key for verifying assertions.
    const authMethod = metadata.authMethod === 'private_key_jwt' ? 'none' : metadata.authMethod
    // The first letter is no dash, which a command line would take for an option.
    const clientId = `client_${randomBytes(24).toString('base64url')}`
    const secret = authMethod === 'none' ? undefined : `secret_${randomBytes(32).toString('base64url')}`
    const sealedSecret = secret === undefined ? null : secrets.seal(secret)
    await clients.upsert({ ...metadata, authMethod, clientId, sealedSecret, jwks: null })
    return {
      client_id: clientId,
      client_id_issued_at: Math.floor(clock.now().getTime() / 1_000),
      ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
      client_name: name,
      ...(uri === undefined ? {} : { client_uri: uri }),
      redirect_uris: redirectUris,
      token_endpoint_auth_method: authMethod,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: [...AGENT_SCOPES, OFFLINE].join(' '),
    } as { client_id: string }
  }
}
