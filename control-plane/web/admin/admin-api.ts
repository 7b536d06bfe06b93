import type { AuditPage, AuditVerification } from '../answers.ts'
import { path, query, request } from '../request.ts'
import type * as answers from './admin-answers.ts'

const get = <T>(address: string, signal?: AbortSignal) => request<T>(address, signal === undefined ? {} : { signal })
const post = <T>(address: string, body: unknown, signal?: AbortSignal) =>
  request<T>(address, { method: 'POST', body, ...(signal === undefined ? {} : { signal }) })

/** Every route of system administration. */
export const adminApi = {
  claimSetup: (token: string) => post<{ ok: true }>('/api/setup/claim', { token }),
  readStatus: () => get<answers.AdminStatus>('/api/admin/status'),

  readOverview: (signal?: AbortSignal) => get<answers.Overview>('/api/admin/overview', signal),
  listDaemons: (filter: answers.InventoryQuery, signal?: AbortSignal) =>
    get<answers.Inventory>(`/api/admin/managed-daemons${query(filter as Record<string, string>)}`, signal),
  listOrganizations: (filter: Record<string, string>, signal?: AbortSignal) =>
    get<answers.DirectoryOrganizations>(`/api/admin/organizations${query(filter)}`, signal),
  listPeople: (filter: Record<string, string>, signal?: AbortSignal) =>
    get<answers.DirectoryPeople>(`/api/admin/people${query(filter)}`, signal),
  listEvents: (orgId: string, signal?: AbortSignal) =>
    get<answers.Page<'events', answers.LifecycleEvent>>(path`/api/admin/managed-daemons/${orgId}/events`, signal),
  listMutations: (orgId: string, cursor: string | undefined, signal?: AbortSignal) =>
    get<answers.Page<'mutations', answers.Mutation>>(
      path`/api/admin/orgs/${orgId}/mutations` + query({ limit: 20, cursor }),
      signal,
    ),

  rollImage: (orgId: string, roll: answers.RollRequest, signal?: AbortSignal) =>
    post<unknown>(path`/api/admin/managed-daemons/${orgId}/image`, roll, signal),
  checkStorage: (orgId: string, operation: answers.OperationRequest, signal?: AbortSignal) =>
    post<answers.StorageCheckResult>(path`/api/admin/managed-daemons/${orgId}/storage/check`, operation, signal),
  growStorage: (orgId: string, operation: answers.GrowRequest, signal?: AbortSignal) =>
    post<answers.StorageGrowResult>(path`/api/admin/managed-daemons/${orgId}/storage/grow`, operation, signal),
  putToSleep: (orgId: string, operation: answers.OperationRequest, signal?: AbortSignal) =>
    post<unknown>(path`/api/admin/managed-daemons/${orgId}/sleep`, operation, signal),
  reinstall: (orgId: string, operation: answers.OperationRequest, signal?: AbortSignal) =>
    post<unknown>(path`/api/admin/managed-daemons/${orgId}/reinstall`, operation, signal),
  grantComped: (orgId: string, operation: answers.OperationRequest, signal?: AbortSignal) =>
    post<unknown>(path`/api/admin/orgs/${orgId}/managed-daemon/comped`, operation, signal),
  rotateKey: (orgId: string, operation: answers.OperationRequest, signal?: AbortSignal) =>
    post<unknown>(path`/api/admin/managed-daemons/${orgId}/key/rotate`, operation, signal),

  listClaims: (signal?: AbortSignal) => get<{ claims: answers.Claim[] }>('/api/admin/mutation-claims', signal),
  recoverClaim: (orgId: string, recovery: answers.RecoverRequest) =>
    post<unknown>(path`/api/admin/orgs/${orgId}/mutation-claim/recover`, recovery),

  listRollouts: (signal?: AbortSignal) =>
    get<answers.Page<'rollouts', answers.RolloutSummary>>('/api/admin/rollouts', signal),
  readRollout: (id: string, signal?: AbortSignal) =>
    get<{ rollout: answers.Rollout }>(path`/api/admin/rollouts/${id}`, signal).then(({ rollout }) => rollout),
  planRollout: (plan: answers.PlanRollout) => post<answers.RolloutPlan>('/api/admin/rollouts/plan', plan),
  createRollout: (rollout: answers.CreateRollout) =>
    post<{ rollout: answers.Rollout }>('/api/admin/rollouts', rollout).then(({ rollout }) => rollout),
  changeRollout: (id: string, change: 'pause' | 'resume' | 'abort', body: { reason: string; failureBudget?: number }) =>
    post<unknown>(path`/api/admin/rollouts/${id}/` + change, body),

  listAgentRules: (signal?: AbortSignal) => get<{ rules: answers.AgentRule[] }>('/api/admin/agent-rules', signal),
  setAgentRule: (key: string, verdict: answers.AgentRule['verdict'] | 'none') =>
    request<unknown>('/api/admin/agent-rules', { method: 'PUT', body: { key, verdict } }),

  listAudit: (chain: string, filter: Record<string, string | undefined>, signal?: AbortSignal) =>
    get<AuditPage>(`/api/admin/audit${query({ chain, limit: 50, ...filter })}`, signal),
  verifyAudit: (chain: string) => get<AuditVerification>(`/api/admin/audit/verify${query({ chain })}`),
}
