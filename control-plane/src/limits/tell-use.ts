import type { Clock } from '@svc/shared/kit/clock.ts'
import type { PersonUse } from './fair-share.ts'
import type { OrgPermits } from './org-permits.ts'
import type { ByteUse } from './org-use.ts'
import type { LedgerReport, UseLedger } from './use-ledger.ts'

/** One organization as this replica knows it. */
export type Organization = {
  bytes: ByteUse
  permits: OrgPermits
  people: Map<string, PersonUse>
  /** What is open, oldest first. */
  admitted: Set<() => void>
  asking: Promise<void> | undefined
  refusedUntil: number
}
/** What the ledger is told of at once: an organization, or a person in one. */
export type Told = {
  name: string
  use: ByteUse
  queued: number
  organization: Organization | undefined
  need: 'more' | 'same'
}

type Options = {
  ledger: UseLedger | undefined
  replicas: () => number
  /** How long borrowed permits are good after they were asked for. */
  validMs: number
  clock: Pick<Clock, 'monotonic'>
}

/** Tells the ledger what is used here and takes over what it answers. Rejects when it cannot be reached. */
export function createTellUse({ ledger, replicas, validMs, clock }: Options) {
  let requests = 0

  return async (told: readonly Told[]): Promise<void> => {
    if (ledger === undefined || told.length === 0) return
    const sentAt = clock.monotonic()
    const reports = told.map(({ name, use, queued: bytes, organization, need }): LedgerReport => {
      const number = ++requests
      const permits = organization?.permits.request(sentAt, { need, replicas: replicas(), number })
      return { name, ...use.report(sentAt, replicas(), bytes), permits: permits ?? { number, held: 0, want: 0 } }
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
