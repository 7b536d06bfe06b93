import { z } from 'zod'
import { idBody, OrgId } from './ids.ts'

export const GROUP = 'svcd.dev'
export const VERSION = 'v1alpha1'
export const KIND = 'ManagedDaemon'
export const PLURAL = 'manageddaemons'
export const ORG_ID_LABEL = 'svcd.dev/org-id'
/** Keeps a deleted resource until the operator has removed what belongs to it. */
export const CHILDREN_FINALIZER = 'svcd.dev/children'

/** State words of a hosted daemon; `desiredState` takes the first two. Lower case everywhere. */
export const desiredStates = ['running', 'sleeping'] as const
export const observedStates = [
  'pending',
  'provisioning',
  'starting',
  'running',
  'sleeping',
  'stopping',
  'degraded',
  'failed',
  'deleting',
] as const
export type ObservedState = (typeof observedStates)[number]

export const conditionTypes = [
  'Ready',
  'Progressing',
  'Degraded',
  'Paused',
  'Sleeping',
  'ImageResolved',
  'StorageHealthy',
  'RelayConnected',
  'KeyRotated',
] as const
export type ConditionType = (typeof conditionTypes)[number]

export const operationActions = [
  'provision',
  'image_roll',
  'comped_grant',
  'storage_check',
  'storage_grow',
  'key_rotation',
  'sleep',
  'reinstall',
  'backup',
  'backup_drill',
  'restore',
  'deletion',
] as const

/** Longest text of a runtime that a status repeats; a condition puts a sentence before it. */
export const LONGEST_CAUSE = 512

/** Size of a volume in a spec, such as `10Gi`. */
export const StorageSize = z
  .string()
  .max(20)
  .regex(/^[1-9][0-9]*(Ki|Mi|Gi|Ti)$/, 'must be a whole number of Ki, Mi, Gi or Ti')
const Generation = z.number().int().min(0)
const Cause = z.string().max(LONGEST_CAUSE).optional().describe('What the runtime said of the cause.')

export const Condition = z.object({
  type: z.enum(conditionTypes).describe('What the condition speaks of.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  observedGeneration: Generation.describe('Generation of the spec that this was judged by.'),
  lastTransitionTime: z.iso.datetime().describe('When the status last changed.'),
  reason: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]*$/)
    .describe('Machine-readable cause, CamelCase.'),
  message: z.string().max(1024).describe('The cause in a sentence.'),
})
export type Condition = z.infer<typeof Condition>

export const ManagedDaemonSpec = z.object({
  orgId: OrgId.describe('The organization served. Immutable; the resource is named org-<body of this id>.'),
  orgSlug: z.string().max(63).describe('Short name of the organization, for people.'),
  image: z.string().min(1).max(512).describe('Image to run, in the allowed repository, by digest or exact tag.'),
  desiredState: z.enum(desiredStates).describe('running, or sleeping: no pod, volume kept.'),
  relay: z
    .object({
      url: z.string().max(512).describe('Address that the daemon dials: {base_url}/t/<org-id>.'),
      keyGeneration: Generation.describe('Generation of the relay key that is wanted.'),
      acceptedGeneration: Generation.describe('Newest generation whose hash the control plane has stored.'),
    })
    .describe('The relay connection of the daemon.'),
  storage: z
    .object({
      size: StorageSize.describe('Size of the volume. Grows only, except to correct a size that was refused.'),
      className: z.string().max(253).optional().describe('Storage class. Immutable.'),
      autoGrow: z
        .object({
          maxSize: StorageSize.describe('The volume never grows past this.'),
          abovePercent: z.number().int().min(50).max(95).describe('Use of the volume that makes it grow.'),
        })
        .optional()
        .describe('Growth without an operation; absent: none.'),
    })
    .describe('The volume of the daemon.'),
  resources: z
    .object({ cpu: z.string().max(16), memory: z.string().max(16) })
    .describe('Requests and limits of the container.'),
  paused: z.boolean().describe('True: the operator changes nothing of this daemon.'),
  deletionPolicy: z.enum(['retain', 'delete']).describe('What becomes of the volume when the resource goes.'),
  operation: z
    .object({
      id: z.string().min(8).max(128).describe('operationId of the control plane.'),
      action: z.enum(operationActions).describe('What the operation does.'),
      epoch: Generation.describe('Claim epoch. Never falls: an older executor is fenced off.'),
    })
    .optional()
    .describe('The audited operation that last changed the spec.'),
})
export type ManagedDaemonSpec = z.infer<typeof ManagedDaemonSpec>

export const RelayKey = z.object({
  generation: Generation.describe('Generation of the key.'),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the key, hexadecimal.'),
})

export const ManagedDaemonStatus = z.object({
  observedGeneration: Generation.optional().describe('Generation of the spec that this status speaks of.'),
  observedState: z.enum(observedStates).describe('What the daemon does now.'),
  conditions: z.array(Condition).describe('Conditions by type.'),
  image: z.string().optional().describe('Image that serves.'),
  lastGoodImage: z.string().optional().describe('Image that was last ready and connected; a bad roll returns to it.'),
  failedRoll: z
    .object({
      image: z.string().describe('Image that did not come up.'),
      operationId: z.string().optional().describe('Operation that asked for it.'),
      reason: z.string().describe('CamelCase cause.'),
      message: Cause,
    })
    .optional()
    .describe('Image that failed; it is not tried again until another operation asks for an image.'),
  failedGrowth: z
    .object({
      sizeBytes: z.number().int().min(0).describe('Size that the storage refused.'),
      operationId: z.string().optional().describe('Operation in the spec when it was refused.'),
      message: Cause,
    })
    .optional()
    .describe('Growth that the storage refused; another operation that asks for growth tries it again.'),
  version: z.string().optional().describe('Version that the daemon reports.'),
  provider: z
    .object({
      app: z.string().optional().describe('Name of the workload.'),
      machine: z.string().optional().describe('Identity of the running machine.'),
      volume: z.string().optional().describe('Name of the volume.'),
    })
    .optional()
    .describe('Identifiers at the provider.'),
  relay: z
    .object({ keys: z.array(RelayKey).max(2).describe('Keys in the Secret, oldest first.') })
    .optional()
    .describe('What the control plane may know of the relay keys: hashes.'),
  storage: z
    .object({
      capacityBytes: z.number().int().min(0).describe('Size of the volume, bytes.'),
      usedBytes: z.number().int().min(0).describe('Bytes used, rounded.'),
    })
    .optional()
    .describe('Use of the volume.'),
  operation: z
    .object({
      id: z.string().describe('operationId that the outcome belongs to: the runtime marker.'),
      outcome: z.enum(['executing', 'succeeded', 'failed']).describe('How far it came.'),
      reason: z.string().optional().describe('CamelCase cause of a failure.'),
      message: Cause,
    })
    .optional()
    .describe('The runtime marker.'),
})
export type ManagedDaemonStatus = z.infer<typeof ManagedDaemonStatus>

/** The resource as the stores hold it. `resourceVersion` is opaque; `generation` counts changes of the spec. */
export type ManagedDaemon = {
  name: string
  uid: string
  resourceVersion: string
  generation: number
  createdAt: string
  /** Set while the resource is being deleted; children are removed by the deletion policy, then the resource. */
  deletedAt?: string
  spec: ManagedDaemonSpec
  status: ManagedDaemonStatus
}

/** Name of an organization's resource; a resource with another name is not trusted. */
export function managedDaemonName(orgId: string): string {
  return `org-${idBody(orgId)}`
}

/** The status of a resource that has not been reconciled yet. */
export const initialStatus: ManagedDaemonStatus = { observedState: 'pending', conditions: [] }

/** The condition of a type, if the status has it. */
export function findCondition(status: ManagedDaemonStatus, type: ConditionType): Condition | undefined {
  return status.conditions.find((condition) => condition.type === type)
}

/** True while the volume of a daemon is gone, or goes with its pod. A daemon that still serves has the only copy. */
export function isLosingVolume(status: ManagedDaemonStatus): boolean {
  const degraded = findCondition(status, 'Degraded')
  return degraded?.status === 'True' && degraded.reason === 'VolumeLost'
}

/** True once a daemon has failed because its volume is gone; false while it still serves from it. */
export function hasLostVolume(status: ManagedDaemonStatus): boolean {
  return status.observedState === 'failed' && isLosingVolume(status)
}

// Operations that request an image; the others (growth, rotation, check) leave the choice unchanged.
const imageActions: readonly string[] = ['provision', 'image_roll', 'comped_grant', 'reinstall']

/** True while the wanted image is one that failed, and no later operation has requested an image. */
export function isRefusedImage(spec: ManagedDaemonSpec, status: ManagedDaemonStatus): boolean {
  const { failedRoll } = status
  if (failedRoll?.image !== spec.image) return false
  const askedAnew = spec.operation !== undefined && spec.operation.id !== failedRoll.operationId
  return !(askedAnew && imageActions.includes(spec.operation?.action ?? ''))
}

/** The image that should run: the wanted one, or the last good one once the wanted one has failed. */
export function effectiveImage(spec: ManagedDaemonSpec, status: ManagedDaemonStatus): string {
  return isRefusedImage(spec, status) ? (status.lastGoodImage ?? spec.image) : spec.image
}
