import { z } from 'zod'
import { OrgId } from '../ids.ts'
import { StorageSize } from '../managed-daemon.ts'
import { text } from '../text.ts'
import { Reason } from './admin.api.ts'

/** The limits of an organization: what it, and each person in it, may use of the platform. */
export const OrganizationLimits = z.strictObject({
  requests: z.number().int().min(1).max(100_000).describe('Requests and live sessions at a time.'),
  bytesPerSecond: z
    .number()
    .int()
    .min(65_536)
    .max(100_000_000_000)
    .describe('Bytes per second over time, both directions together; 32 seconds of it may come at once.'),
  personPercent: z
    .number()
    .int()
    .min(1)
    .max(100)
    .describe('The part of the bytes that one person or agent may use alone, in percent.'),
  bodyBytes: z
    .number()
    .int()
    .min(65_536)
    .max(2 ** 50)
    .describe('Largest body of one request, such as an upload.'),
  tunnels: z.number().int().min(1).max(4).describe('Tunnels that its daemon may hold.'),
  storageMaxSize: StorageSize.nullable().describe(
    'Size up to which the volume of its hosted daemon grows by itself; null: only operations grow it.',
  ),
})
export type OrganizationLimits = z.infer<typeof OrganizationLimits>

const ownLimits = OrganizationLimits.extend({ storageMaxSize: StorageSize }).partial()
/** Limits that are set for one organization. For a missing one the platform's limit applies. */
export const OwnLimits = ownLimits
export type OwnLimits = z.infer<typeof OwnLimits>

export const LimitsView = z.object({
  ok: z.literal(true),
  orgId: OrgId,
  limits: OrganizationLimits.describe('The limits that apply.'),
  own: ownLimits,
  platform: OrganizationLimits.describe('The defaults of the platform.'),
})
export type LimitsView = z.infer<typeof LimitsView>

/** Replaces the limits that are set for an organization. */
export const SetLimitsRequest = z.strictObject({
  reason: Reason,
  confirmation: text().max(64).describe('The exact organization slug.'),
  own: ownLimits.describe('A missing limit becomes the default of the platform.'),
})
