import { OwnLimits, type OrganizationLimits } from '@svc/shared/wire/admin/limits.api.ts'
import type { OrgLimitSettings } from './org-use.ts'

/** The burst, and the maximum of queued bytes, in seconds of the sustained rate. */
const BURST_SECONDS = 32
const QUEUED_SECONDS = 1

/** The limits that apply to an organization: its own over those of the platform. Pure. */
export function effectiveLimits(own: OwnLimits, platform: OrganizationLimits): OrganizationLimits {
  return { ...platform, ...own }
}

/** Parses stored limits. A limit that is no longer valid is dropped, so that the platform's limit applies. Pure. */
export function parseOwnLimits(stored: unknown): OwnLimits {
  const fields = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
  const valid = fields.filter(([name, value]) => OwnLimits.safeParse({ [name]: value }).success)
  return Object.fromEntries(valid)
}

/** The limits in the units that the gateway counts in. Pure. */
export function useSettings({ requests, bytesPerSecond, personPercent }: OrganizationLimits): OrgLimitSettings {
  return {
    concurrent: requests,
    bytesPerSecond,
    burstBytes: bytesPerSecond * BURST_SECONDS,
    queuedBytes: bytesPerSecond * QUEUED_SECONDS,
    personPart: personPercent / 100,
  }
}
