import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Roster } from '@svc/shared/kit/roster.ts'
import type { PersonUse } from './fair-share.ts'
import type { OrgPermits } from './org-permits.ts'
import type { ByteUse, OrgLimitSettings } from './org-use.ts'
import type { LedgerReport, UseLedger } from './use-ledger.ts'

/** One organization as this replica knows it. */
export type Organization = {
  settings: OrgLimitSettings
  /** Permits of this organization that all replicas share. */
  pool: number
  bytes: ByteUse
  permits: OrgPermits
  people: Map<string, PersonUse>
  /** Open requests, oldest first. */
  admitted: Roster<() => void>
  asking: Promise<void> | undefined
  refusedUntil: number
}
/** The subject of a report: an organization, or a person in it. */
export type Told = {
  name: string
  use: ByteUse
  queued: number
  /** The organization itself, or that of the person. */
  of: Organization
  organization: Organization | undefined
  need: 'more' | 'same'
}

type Options = {
  ledger: UseLedger | undefined
  replicas: () => number
  /** How long borrowed permits are valid after they were requested. */
  validMs: number
  clock: Pick<Clock, 'monotonic'>
}

/** Reports to the ledger what is used here and applies its response. Rejects when it cannot be reached. */
export function createTellUse({ ledger, replicas, validMs, clock }: Options) {
  let requests = 0

  return async (told: readonly Told[]): Promise<void> => {
    if (ledger === undefined || told.length === 0) return
    const sentAt = clock.monotonic()
    const reports = told.map(({ name, use, queued: bytes, of, organization, need }): LedgerReport => {
      const number = ++requests
      const permits = organization?.permits.request(sentAt, { need, replicas: replicas(), number })
      const { bytesPerSecond } = of.settings
      const limits = { bytesPerSecond, pool: of.pool }
      return {
        name,
        limits,
        ...use.report(sentAt, replicas(), bytes),
        permits: permits ?? { number, held: 0, want: 0 },
      }
    })
    try {
      const answers = await ledger.report(reports)
      told.forEach(({ use, organization }, i) => {
        use.learn(reports[i]!, answers[i]!, clock.monotonic())
        organization?.permits.learn(answers[i]!, sentAt + validMs)
      })
    } catch (error) {
      told.forEach(({ use, organization }, i) => {
        use.takeBack(reports[i]!)
        organization?.permits.missed()
      })
      throw error
    }
  }
}
