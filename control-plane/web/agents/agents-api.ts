import type { z } from 'zod'
import type * as wire from '@svc/shared/wire/agents.api.ts'
import { path, request } from '../request.ts'

export type ConsentAsked = z.infer<typeof wire.ConsentAsked>
export type ConsentRequest = z.infer<typeof wire.ConsentRequest>
export type ConnectedApp = z.infer<typeof wire.ConnectedApp>
export type Integration = z.infer<typeof wire.Integration>
export type AgentAccess = wire.AgentAccess

/** Routes about agents: consent, what a person connected, what an organization approved. */
export const agentsApi = {
  readConsent: (query: URLSearchParams, signal?: AbortSignal) => {
    const asked = new URLSearchParams({
      client_id: query.get('client_id') ?? '',
      redirect_uri: query.get('redirect_uri') ?? '',
    })
    return request<ConsentAsked>(`/oauth2/consent?${asked}`, signal === undefined ? {} : { signal })
  },
  decideConsent: (body: ConsentRequest) =>
    request<{ url: string }>('/oauth2/consent', { method: 'POST', body }).then(({ url }) => url),

  listApps: (signal?: AbortSignal) =>
    request<{ endpoint: string; apps: ConnectedApp[] }>('/api/settings/agents', signal === undefined ? {} : { signal }),
  disconnect: (grantId: string) => request<{ ok: true }>(path`/api/settings/agents/${grantId}`, { method: 'DELETE' }),

  pause: (grantId: string, paused: boolean) =>
    request<{ ok: true }>(path`/api/settings/agents/${grantId}`, { method: 'PATCH', body: { paused } }),

  listIntegrations: (orgId: string, signal?: AbortSignal) =>
    request<{ endpoint: string; integrations: Integration[] }>(
      path`/api/orgs/${orgId}/integrations`,
      signal === undefined ? {} : { signal },
    ),
  approve: (
    orgId: string,
    integrationId: string,
    body: { access: AgentAccess; days: number; covers: 'this_address' | 'whole_site' },
  ) => request<unknown>(path`/api/orgs/${orgId}/integrations/${integrationId}/approve`, { method: 'POST', body }),
  changeState: (orgId: string, integrationId: string, state: 'approved' | 'paused' | 'revoked') =>
    request<unknown>(path`/api/orgs/${orgId}/integrations/${integrationId}`, { method: 'PATCH', body: { state } }),
}
