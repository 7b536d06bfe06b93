import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { z } from 'zod'
import { readClientMetadata } from './client-metadata.ts'
import type { ClientsRepository } from './clients.repository.ts'
import { isFetchable, type FetchDocument } from './fetch-document.ts'
import { isMetadataDocument } from './redirect-uri.ts'

type Deps = { clients: ClientsRepository; fetchDocument: FetchDocument; clock: Pick<Clock, 'now'>; log: Log }

/** A document is fetched again after an hour and not sooner, whatever its server says about caching. */
const FRESH_MS = 3_600_000

const Document = z.looseObject({
  client_id: z.string(),
  token_endpoint_auth_method: z.enum(['none', 'private_key_jwt']).default('none'),
  jwks: z.unknown().optional(),
  jwks_uri: z.string().optional(),
})
const Keys = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(10),
})

/**
 * Updates a client with a metadata document before a signed-in person decides about it. Other kinds of clients are left
 * alone. Nothing else causes a fetch: refreshing tokens reads the stored client.
 */
export function createResolveClient({ clients, fetchDocument, clock, log }: Deps) {
  const read = async (clientId: string): Promise<void> => {
    const document = Document.parse(await fetchDocument(clientId))
    if (document.client_id !== clientId) throw new Error('the document names another client')
    const metadata = readClientMetadata(document)
    if ('error' in metadata) throw new Error(metadata.error_description)

    const authMethod = document.token_endpoint_auth_method
    const keys =
      authMethod === 'none'
        ? undefined
        : Keys.parse(document.jwks_uri === undefined ? document.jwks : await fetchDocument(document.jwks_uri))
    await clients.upsert({
      ...metadata,
      authMethod,
      clientId,
      sealedSecret: null,
      jwks: keys === undefined ? null : JSON.stringify(keys),
    })
  }

  return async (clientId: string): Promise<void> => {
    if (!isMetadataDocument(clientId)) return
    const known = await clients.find(clientId)
    const age = known?.updatedAt ? clock.now().getTime() - known.updatedAt.getTime() : Infinity
    if (age < FRESH_MS || !isFetchable(clientId) || new URL(clientId).pathname === '/') return
    await read(clientId).catch((error: unknown) => {
      // The library then reports an unknown client; for a known one, the stored metadata stays.
      const reason = error instanceof Error ? error.message : 'unknown'
      log.info({ host: new URL(clientId).host, reason }, 'a client metadata document could not be used')
    })
  }
}
