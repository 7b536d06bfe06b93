import type { z } from 'zod'
import type * as wire from '@svc/shared/wire/admin/admin.api.ts'
import type * as agents from '@svc/shared/wire/agents.api.ts'
import type * as directory from '@svc/shared/wire/admin/directory.api.ts'
import type * as inventory from '@svc/shared/wire/admin/inventory.api.ts'
import type { AdminStatus as WireStatus } from '@svc/shared/wire/control-plane.api.ts'
import type * as rollouts from '@svc/shared/wire/admin/rollouts.api.ts'

/** Answers of system administration as the web app reads them. */
export type AdminStatus = z.infer<typeof WireStatus>
export type AgentRule = z.infer<typeof agents.AgentRule>
export type Inventory = z.infer<typeof inventory.Inventory>
export type InventoryQuery = Partial<z.input<typeof inventory.InventoryQuery>>
export type DirectoryOrganizations = z.infer<typeof directory.DirectoryOrganizations>
export type DirectoryPeople = z.infer<typeof directory.DirectoryPeople>
export type Page<K extends string, T> = { [Key in K]: T[] } & { nextCursor?: string }
export type OperationRequest = z.input<typeof wire.ConfirmedRequest>
export type GrowRequest = z.input<typeof wire.StorageGrowRequest>
export type RollRequest = z.input<typeof wire.ImageRollRequest>
export type RecoverRequest = z.input<typeof wire.RecoverClaimRequest>
export type CreateRollout = z.input<typeof rollouts.CreateRolloutRequest>
export type PlanRollout = z.input<typeof rollouts.PlanRolloutRequest>
export type RolloutPlan = z.infer<typeof rollouts.RolloutPlan>
export type RolloutSettings = z.input<typeof rollouts.RolloutSettings>
export type RolloutSummary = Omit<rollouts.Rollout, 'problems'>
export type { MemberCounts, Rollout, RolloutState } from '@svc/shared/wire/admin/rollouts.api.ts'
export type {
  Claim,
  LifecycleEvent,
  Mutation,
  StorageCheckResult,
  StorageGrowResult,
} from '@svc/shared/wire/admin/admin.api.ts'
export type { DirectoryOrganization, DirectoryPerson } from '@svc/shared/wire/admin/directory.api.ts'
export type { InventoryItem, Overview } from '@svc/shared/wire/admin/inventory.api.ts'
