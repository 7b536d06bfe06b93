import type { AuditRecord } from '@svc/shared/wire/audit.api.ts'

type Setting = {
  event: 'organization.idle_sleep_set' | 'organization.backup_schedule_set'
  orgId: string
  userId: string
  /** 0: never; null: as the platform. */
  seconds: number | null
}

/** What the audit says when an admin sets how often or after which time something happens in an organization. Pure. */
export function recordOfSetting({ event, orgId, userId, seconds }: Setting): Omit<AuditRecord, 'at'> {
  const outcome = seconds === null ? 'platform' : seconds === 0 ? 'never' : `${seconds}_seconds`
  return { event, actor: { kind: 'user', id: userId }, orgId, outcome }
}
