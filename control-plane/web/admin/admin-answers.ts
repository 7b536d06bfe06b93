import type { AnswerOf, BodyOf, QueryOf } from '@svc/shared/client/route-call.ts'

export type { AuditFilter } from '../answers.ts'

/** Responses and request bodies of system administration, under the names that the web app uses. */
export type AdminStatus = AnswerOf<'GET /api/admin/status'>
export type AgentRule = AnswerOf<'GET /api/admin/agent-rules'>['rules'][number]
export type Overview = AnswerOf<'GET /api/admin/overview'>
export type Inventory = AnswerOf<'GET /api/admin/managed-daemons'>
export type InventoryItem = Inventory['daemons'][number]
export type InventoryQuery = QueryOf<'GET /api/admin/managed-daemons'>
export type DirectoryOrganizations = AnswerOf<'GET /api/admin/organizations'>
export type DirectoryOrganization = DirectoryOrganizations['organizations'][number]
export type OrganizationsQuery = QueryOf<'GET /api/admin/organizations'>
export type DirectoryPeople = AnswerOf<'GET /api/admin/people'>
export type DirectoryPerson = DirectoryPeople['people'][number]
export type PeopleQuery = QueryOf<'GET /api/admin/people'>
export type LimitsAnswer = AnswerOf<'GET /api/admin/orgs/{orgId}/limits'>
export type SetLimits = BodyOf<'PUT /api/admin/orgs/{orgId}/limits'>
export type LifecycleEvent = AnswerOf<'GET /api/admin/managed-daemons/{orgId}/events'>['events'][number]
export type MutationPage = AnswerOf<'GET /api/admin/orgs/{orgId}/mutations'>
export type Mutation = MutationPage['mutations'][number]
export type Claim = AnswerOf<'GET /api/admin/mutation-claims'>['claims'][number]
export type StorageCheckResult = AnswerOf<'POST /api/admin/managed-daemons/{orgId}/storage/check'>
export type StorageGrowResult = AnswerOf<'POST /api/admin/managed-daemons/{orgId}/storage/grow'>
export type OperationRequest = BodyOf<'POST /api/admin/managed-daemons/{orgId}/sleep'>
export type GrowRequest = BodyOf<'POST /api/admin/managed-daemons/{orgId}/storage/grow'>
export type RollRequest = BodyOf<'POST /api/admin/managed-daemons/{orgId}/image'>
export type RecoverRequest = BodyOf<'POST /api/admin/orgs/{orgId}/mutation-claim/recover'>
export type Rollout = AnswerOf<'GET /api/admin/rollouts/{rolloutId}'>['rollout']
export type RolloutState = Rollout['state']
export type MemberCounts = Rollout['counts']
export type CreateRollout = BodyOf<'POST /api/admin/rollouts'>
export type PlanRollout = BodyOf<'POST /api/admin/rollouts/plan'>
export type RolloutPlan = AnswerOf<'POST /api/admin/rollouts/plan'>
export type RolloutSettings = NonNullable<CreateRollout['settings']>
export type RolloutChange = BodyOf<'POST /api/admin/rollouts/{rolloutId}/resume'>
