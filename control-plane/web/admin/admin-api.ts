import { call } from '../request.ts'
import type * as answers from './admin-answers.ts'

/** Every route of system administration. */
export const adminApi = {
  claimSetup: (token: string) => call('POST /api/setup/claim', { body: { token } }),
  readStatus: () => call('GET /api/admin/status'),

  readOverview: (signal?: AbortSignal) => call('GET /api/admin/overview', { signal }),
  listDaemons: (query: answers.InventoryQuery, signal?: AbortSignal) =>
    call('GET /api/admin/managed-daemons', { query, signal }),
  listOrganizations: (query: answers.OrganizationsQuery, signal?: AbortSignal) =>
    call('GET /api/admin/organizations', { query, signal }),
  readLimits: (orgId: string, signal?: AbortSignal) =>
    call('GET /api/admin/orgs/{orgId}/limits', { params: { orgId }, signal }),
  setLimits: (orgId: string, body: answers.SetLimits) =>
    call('PUT /api/admin/orgs/{orgId}/limits', { params: { orgId }, body }),
  listPeople: (query: answers.PeopleQuery, signal?: AbortSignal) => call('GET /api/admin/people', { query, signal }),
  listEvents: (orgId: string, signal?: AbortSignal) =>
    call('GET /api/admin/managed-daemons/{orgId}/events', { params: { orgId }, signal }),
  listMutations: (orgId: string, cursor: string | undefined, signal?: AbortSignal) =>
    call('GET /api/admin/orgs/{orgId}/mutations', { params: { orgId }, query: { limit: 20, cursor }, signal }),

  rollImage: (orgId: string, body: answers.RollRequest, signal?: AbortSignal) =>
    call('POST /api/admin/managed-daemons/{orgId}/image', { params: { orgId }, body, signal }),
  checkStorage: (orgId: string, body: answers.OperationRequest, signal?: AbortSignal) =>
    call('POST /api/admin/managed-daemons/{orgId}/storage/check', { params: { orgId }, body, signal }),
  growStorage: (orgId: string, body: answers.GrowRequest, signal?: AbortSignal) =>
    call('POST /api/admin/managed-daemons/{orgId}/storage/grow', { params: { orgId }, body, signal }),
  putToSleep: (orgId: string, body: answers.OperationRequest, signal?: AbortSignal) =>
    call('POST /api/admin/managed-daemons/{orgId}/sleep', { params: { orgId }, body, signal }),
  reinstall: (orgId: string, body: answers.OperationRequest, signal?: AbortSignal) =>
    call('POST /api/admin/managed-daemons/{orgId}/reinstall', { params: { orgId }, body, signal }),
  grantComped: (orgId: string, body: answers.OperationRequest, signal?: AbortSignal) =>
    call('POST /api/admin/orgs/{orgId}/managed-daemon/comped', { params: { orgId }, body, signal }),
  rotateKey: (orgId: string, body: answers.OperationRequest, signal?: AbortSignal) =>
    call('POST /api/admin/managed-daemons/{orgId}/key/rotate', { params: { orgId }, body, signal }),

  listClaims: (signal?: AbortSignal) => call('GET /api/admin/mutation-claims', { signal }),
  recoverClaim: (orgId: string, body: answers.RecoverRequest) =>
    call('POST /api/admin/orgs/{orgId}/mutation-claim/recover', { params: { orgId }, body }),

  listRollouts: (cursor: string | undefined, signal?: AbortSignal) =>
    call('GET /api/admin/rollouts', { query: { cursor }, signal }),
  readRollout: (rolloutId: string, signal?: AbortSignal) =>
    call('GET /api/admin/rollouts/{rolloutId}', { params: { rolloutId }, signal }).then(({ rollout }) => rollout),
  planRollout: (body: answers.PlanRollout) => call('POST /api/admin/rollouts/plan', { body }),
  createRollout: (body: answers.CreateRollout) =>
    call('POST /api/admin/rollouts', { body }).then(({ rollout }) => rollout),
  changeRollout: (rolloutId: string, change: 'pause' | 'resume' | 'abort', body: answers.RolloutChange) =>
    call(`POST /api/admin/rollouts/{rolloutId}/${change}`, { params: { rolloutId }, body }),

  listAgentRules: (signal?: AbortSignal) => call('GET /api/admin/agent-rules', { signal }),
  setAgentRule: (key: string, verdict: answers.AgentRule['verdict'] | 'none') =>
    call('PUT /api/admin/agent-rules', { body: { key, verdict } }),

  listAudit: (chain: string, filter: answers.AuditFilter, signal?: AbortSignal) =>
    call('GET /api/admin/audit', { query: { chain, limit: 50, ...filter }, signal }),
  verifyAudit: (chain: string) => call('GET /api/admin/audit/verify', { query: { chain } }),
}
