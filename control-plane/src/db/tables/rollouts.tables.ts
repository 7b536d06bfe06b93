import type { Generated } from 'kysely'
import type { Actor } from '@svc/shared/wire/admin/admin.api.ts'
import type { RolloutMemberState, RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'

export type RolloutsTable = {
  rollout_id: string
  operation_id: string
  image: string
  reason: string
  actor_kind: Actor['kind']
  actor_id: string
  /** Canonical JSON of RolloutSettings. */
  settings: string
  state: RolloutState
  state_reason: string | null
  current_wave: Generated<number>
  soak_until: Date | null
  failure_budget: number
  /** Failures that an admin accepted by resuming. */
  failures_borne: Generated<number>
  created_at: Date
  updated_at: Date
  finished_at: Date | null
}

export type RolloutMembersTable = {
  rollout_id: string
  org_id: string
  wave: number
  operation_id: string
  state: RolloutMemberState
  reason: string | null
  began_at: Date | null
  updated_at: Date
}

export type RolloutsTables = {
  rollouts: RolloutsTable
  rollout_members: RolloutMembersTable
}
