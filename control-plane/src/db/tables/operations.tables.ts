import type { Generated, GeneratedAlways } from 'kysely'
import type { Actor, LifecycleEvent, OperationAction, OperationState } from '@svc/shared/wire/admin/admin.api.ts'
import type { ObservedState } from '@svc/shared/wire/managed-daemon.ts'

export type OperationsTable = {
  operation_id: string
  org_id: string
  action: OperationAction
  actor_kind: Actor['kind']
  actor_id: string
  reason: string
  /** Parameters as canonical JSON; used for comparison and execution, never listed. */
  input: string
  state: OperationState
  epoch: number | null
  attempts: Generated<number>
  /** The first success response, byte for byte. */
  answer: string | null
  failure_code: string | null
  failure_reason: string | null
  /** What the cluster said of the cause. */
  failure_message: string | null
  requested_at: Date
  updated_at: Date
  finished_at: Date | null
}

/** The right to execute, one per organization. `expires_at` is diagnostic: no timer frees a claim. */
export type OperationClaimsTable = {
  org_id: string
  operation_id: string
  action: OperationAction
  owner: string
  executor: string
  epoch: number
  claimed_at: Date
  expires_at: Date
}

export type EntitlementsTable = {
  org_id: string
  kind: 'comped' | 'paid'
  operation_id: string
  granted_at: Date
  lease_installed_at: Date | null
}

/** The record that a deleted organization leaves: its resource, which held the runtime marker, is gone. */
export type OrganizationTombstonesTable = {
  org_id: string
  operation_id: string
  daemon_uid: string | null
  created_at: Date
  /** When a worker last began to delete the backups, whether there were any, and when they were gone. */
  backups_claimed_at: Date | null
  backups_found: Generated<boolean>
  backups_deleted_at: Date | null
}

export type LifecycleEventsTable = {
  id: GeneratedAlways<number>
  org_id: string
  kind: LifecycleEvent['kind']
  at: Date
  operation_id: string | null
  observed_state: ObservedState | null
  image: string | null
  reason: string | null
}

export type OperationsTables = {
  operations: OperationsTable
  operation_claims: OperationClaimsTable
  entitlements: EntitlementsTable
  organization_tombstones: OrganizationTombstonesTable
  lifecycle_events: LifecycleEventsTable
}
