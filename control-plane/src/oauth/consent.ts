import type { z } from 'zod'
import {
  MAX_GRANTED_VAULTS,
  type ConsentAsked,
  type ConsentQuery,
  type ConsentRequest,
} from '@svc/shared/wire/agents.api.ts'
import type { OrganizationVaults } from '@svc/shared/wire/control-plane.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { bytesOfVaults, MAX_VAULTS_BYTES } from '../entry/mint-assertion.ts'
import type { ClientsRepository } from './clients.repository.ts'
import type { GrantsRepository } from './grants.repository.ts'
import { AGENT_SCOPES, OFFLINE } from './oauth-metadata.ts'
import type { OAuthHandler } from './oauth-provider.ts'
import { integrationKey, isMetadataDocument, redirectKind } from './redirect-uri.ts'

type Deps = {
  handler: OAuthHandler
  clients: ClientsRepository
  grants: GrantsRepository
  baseUrl: string
  /** Accepts a query that the previous secret signed. */
  resignQuery(query: string): string
  /** The vaults of a person, as far as their daemons respond. */
  listVaults(userId: string): Promise<z.infer<typeof OrganizationVaults>[]>
  listOrganizations(userId: string): Promise<{ id: string }[]>
}
type Decision = { person: { id: string }; cookie: string; request: ConsentRequest }

/**
 * The consent page's data: what the person is asked before a client may work in their vaults, and the effect of the
 * decision.
 */
export function createConsent({ handler, clients, grants, baseUrl, ...deps }: Deps) {
  const { resignQuery, listVaults, listOrganizations } = deps
  const decideAtLibrary = async (cookie: string, body: Record<string, unknown>): Promise<string> => {
    const answered = await handler(
      new Request(`${baseUrl}/oauth2/consent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: baseUrl, cookie },
        body: JSON.stringify(body),
      }),
    )
    const { url } = (await answered.json().catch(() => ({}))) as { url?: unknown }
    if (!answered.ok || typeof url !== 'string')
      throw fail('invalid_request', undefined, {
        message: 'This request has expired or was changed. Start again in the program that asks.',
      })
    return url
  }

  return {
    describe: async (userId: string, asked: z.infer<typeof ConsentQuery>): Promise<Omit<ConsentAsked, 'ok'>> => {
      const kind = redirectKind(asked.redirect_uri)
      const client = await clients.find(asked.client_id)
      if (client === undefined || kind === undefined) throw fail('not_found')
      const { protocol, origin } = new URL(asked.redirect_uri)
      const views = await listVaults(userId)
      const isMuch = views.flatMap(({ vaults }) => vaults).length > MAX_GRANTED_VAULTS
      return {
        client: {
          name: client.name ?? 'Unnamed program',
          kind,
          sendsTo: kind === 'app' ? protocol : origin,
          documentHost: isMetadataDocument(client.clientId) ? new URL(client.clientId).host : null,
        },
        choices: views.map(({ orgId, orgName, state, vaults }) => ({
          orgId,
          orgName,
          listed: state === 'available',
          whole: state !== 'available' || isMuch || !canBeNamed(vaults.map(({ id }) => id)),
          vaults: vaults.map(({ id, displayName }) => ({ id, displayName })),
        })),
      }
    },

    /** Tells the library first, then stores the grant. A code used in between finds no grant and gets nothing. */
    decide: async ({ person, cookie, request }: Decision): Promise<string> => {
      const query = new URLSearchParams(request.query)
      const oauth_query = resignQuery(request.query)
      if (request.decision === 'refuse') return decideAtLibrary(cookie, { accept: false, oauth_query })

      const own = new Set((await listOrganizations(person.id)).map(({ id }) => id))
      if (!request.vaults.every(({ orgId }) => own.has(orgId))) throw fail('not_found')
      refuseTooMany(request.vaults)
      const asked = new Set((query.get('scope') ?? '').split(' '))
      const wanted = request.access === 'write' ? AGENT_SCOPES : (['read'] as const)
      const scopes = wanted.filter((scope) => asked.has(scope))
      if (scopes.length === 0) throw fail('invalid_request', [{ path: 'access', message: 'was not asked for' }])
      const url = await decideAtLibrary(cookie, {
        accept: true,
        scope: [...scopes, OFFLINE].join(' '),
        oauth_query,
      })

      const clientId = query.get('client_id') ?? ''
      await grants.upsert({
        userId: person.id,
        clientId,
        key: integrationKey(clientId, query.get('redirect_uri') ?? ''),
        canWrite: scopes.includes('write'),
        vaults: request.vaults,
      })
      return url
    },
  }
}

export type Consent = ReturnType<typeof createConsent>

type Granted = Extract<ConsentRequest, { decision: 'connect' }>['vaults']

/** True if one call can name all of these vaults of an organization to its daemon, as `list_vaults` does. */
const canBeNamed = (vaults: readonly string[]): boolean => bytesOfVaults(vaults) <= MAX_VAULTS_BYTES

/** Refuses a grant of which calls for no vault would fail. */
function refuseTooMany(granted: Granted): void {
  for (const ofOne of Map.groupBy(granted, ({ orgId }) => orgId).values()) {
    const isWhole = ofOne.some(({ vaultId }) => vaultId === null)
    if (isWhole || canBeNamed(ofOne.map(({ vaultId }) => String(vaultId)))) continue
    const message = 'names too many single vaults of one organization: choose fewer, or the whole organization'
    throw fail('invalid_request', [{ path: 'vaults', message }])
  }
}
