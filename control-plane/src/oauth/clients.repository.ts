import { sql } from 'kysely'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import type { Db } from '../db/database.ts'
import type { ClientMetadata } from './client-metadata.ts'
import { AGENT_SCOPES, OFFLINE } from './oauth-metadata.ts'

export type NewClient = ClientMetadata & { clientId: string; sealedSecret: string | null; jwks: string | null }

const UNUSED_MS = 86_400_000
const SECRETS_AT_A_TIME = 200

type SealedSecret = { clientId: string; clientSecret: string }

/** Programs that registered or have a metadata document. */
export function clientsRepository(db: Db, clock: Clock) {
  return {
    find: (clientId: string) =>
      db
        .selectFrom('oauthClient')
        .select(['clientId', 'name', 'uri', 'redirectUris', 'tokenEndpointAuthMethod', 'updatedAt'])
        .where('clientId', '=', clientId)
        .executeTakeFirst(),

    /** Inserts a client, or updates the one with that id. */
    upsert: async ({ clientId, sealedSecret, jwks, ...client }: NewClient): Promise<void> => {
      const now = clock.now()
      const values = {
        clientSecret: sealedSecret,
        name: client.name,
        uri: client.uri ?? null,
        redirectUris: JSON.stringify(client.redirectUris),
        tokenEndpointAuthMethod: client.authMethod,
        applicationType: 'native',
        jwks,
        grantTypes: JSON.stringify(['authorization_code', 'refresh_token']),
        responseTypes: JSON.stringify(['code']),
        scopes: JSON.stringify([...AGENT_SCOPES, OFFLINE]),
        requirePKCE: true,
        disabled: false,
        updatedAt: now,
      }
      await db
        .insertInto('oauthClient')
        .values({ id: newId('row_'), clientId, createdAt: now, ...values })
        .onConflict((row) => row.column('clientId').doUpdateSet(values))
        .execute()
    },

    /** The next sealed secrets in the order of their clients; none after the last. */
    listSecrets: (after: string): Promise<SealedSecret[]> =>
      db
        .selectFrom('oauthClient')
        .select(['clientId', 'clientSecret'])
        .where('clientSecret', 'is not', null)
        .where('clientId', '>', after)
        .orderBy('clientId')
        .limit(SECRETS_AT_A_TIME)
        .$narrowType<SealedSecret>()
        .execute(),

    /** Replaces a sealed secret unless somebody else has replaced it. */
    updateSecret: async ({ clientId, clientSecret }: SealedSecret, sealed: string): Promise<void> => {
      await db
        .updateTable('oauthClient')
        .set({ clientSecret: sealed })
        .where('clientId', '=', clientId)
        .where('clientSecret', '=', clientSecret)
        .execute()
    },

    /** Makes the proof of a client usable once more. */
    forgetProof: async (row: string): Promise<void> => {
      await db.deleteFrom('oauthClientAssertion').where('id', '=', row).execute()
    },

    /** Deletes registrations without a grant after a day, and expired tokens and proofs. */
    deleteUnused: async (): Promise<void> => {
      const now = clock.now()
      await db
        .deleteFrom('oauthClient')
        .where('updatedAt', '<', new Date(now.getTime() - UNUSED_MS))
        .where(sql<boolean>`not exists (select from agent_grants where client_id = "oauthClient"."clientId")`)
        .execute()
      await db.deleteFrom('oauthAccessToken').where('expiresAt', '<', now).execute()
      await db.deleteFrom('oauthRefreshToken').where('expiresAt', '<', now).execute()
      await db.deleteFrom('oauthClientAssertion').where('expiresAt', '<', now).execute()
      await db.deleteFrom('agent_grants').where('expires_at', '<', now).execute()
    },
  }
}

export type ClientsRepository = ReturnType<typeof clientsRepository>
