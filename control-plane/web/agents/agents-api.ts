import type { AnswerOf, BodyOf } from '@svc/shared/client/route-call.ts'
import { call } from '../request.ts'

export type ConsentAsked = AnswerOf<'GET /oauth2/consent'>
export type ConsentRequest = BodyOf<'POST /oauth2/consent'>
export type ConnectedApp = AnswerOf<'GET /api/settings/agents'>['apps'][number]
export type Integration = AnswerOf<'GET /api/orgs/{orgId}/integrations'>['integrations'][number]
export type Approval = BodyOf<'POST /api/orgs/{orgId}/integrations/{integrationId}/approve'>
export type AgentAccess = Approval['access']

/** Routes about agents: consent, what a person connected, what an organization approved. */
export const agentsApi = {
  readConsent: (query: URLSearchParams, signal?: AbortSignal) => {
    const asked = { client_id: query.get('client_id') ?? '', redirect_uri: query.get('redirect_uri') ?? '' }
    return call('GET /oauth2/consent', { query: asked, signal })
  },
  decideConsent: (body: ConsentRequest) => call('POST /oauth2/consent', { body }).then(({ url }) => url),

  listApps: (signal?: AbortSignal) => call('GET /api/settings/agents', { signal }),
  disconnect: (grantId: string) => call('DELETE /api/settings/agents/{grantId}', { params: { grantId } }),
  pause: (grantId: string, paused: boolean) =>
    call('PATCH /api/settings/agents/{grantId}', { params: { grantId }, body: { paused } }),

  listIntegrations: (orgId: string, signal?: AbortSignal) =>
    call('GET /api/orgs/{orgId}/integrations', { params: { orgId }, signal }),
  approve: (orgId: string, integrationId: string, body: Approval) =>
    call('POST /api/orgs/{orgId}/integrations/{integrationId}/approve', { params: { orgId, integrationId }, body }),
  changeState: (orgId: string, integrationId: string, state: 'approved' | 'paused' | 'revoked') =>
    call('PATCH /api/orgs/{orgId}/integrations/{integrationId}', { params: { orgId, integrationId }, body: { state } }),
}
