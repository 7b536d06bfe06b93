import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { repeat } from '@svc/shared/kit/repeat.ts'

/** How many calls got a response. */
export type Uses = { reads: number; writes: number }
type Use = { grantId: string; orgId: string; integration: string; kind: keyof Uses }
type Integration = { orgId: string; key: string }

type Deps = {
  recordGrantUses(grantId: string, uses: Uses): Promise<void>
  recordIntegrationUses(integration: Integration, uses: Uses): Promise<void>
  clock: Pick<Clock, 'sleep'>
  log: Log
}

const EVERY_MS = 1_000

/**
 * Counts the calls of agents and writes the sums to the database once a second, so that a call does not wait for two
 * commits. The counts are only displayed and decide nothing. A killed process loses those of its last second.
 */
export function createUseCounts({ recordGrantUses, recordIntegrationUses, clock, log }: Deps) {
  const grants = new Map<string, Uses>()
  const integrations = new Map<string, Uses>()

  // Counts that could not be written are added to those that came in the meantime.
  const flush = async (counts: Map<string, Uses>, write: (key: string, uses: Uses) => Promise<void>) => {
    const taken = [...counts]
    counts.clear()
    const written = await Promise.allSettled(
      taken.map(async ([key, uses]) => {
        try {
          await write(key, uses)
        } catch (error) {
          add(counts, key, uses)
          throw error
        }
      }),
    )
    const failed = written.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
  const flushAll = async () => {
    await flush(grants, recordGrantUses)
    await flush(integrations, (key, uses) => recordIntegrationUses(JSON.parse(key) as Integration, uses))
  }
  const flushing = repeat({
    everyMs: EVERY_MS,
    task: flushAll,
    first: 'after_interval',
    clock,
    log,
    name: 'use counts',
  })
  flushing.start()

  return {
    count: ({ grantId, orgId, integration, kind }: Use): void => {
      const one = { reads: 0, writes: 0, [kind]: 1 }
      add(grants, grantId, one)
      add(integrations, JSON.stringify({ orgId, key: integration } satisfies Integration), one)
    },
    /** Stops, and writes the remaining counts. */
    close: async (): Promise<void> => {
      await flushing.close()
      await flushAll().catch((err: unknown) => log.warn({ err }, 'the last uses of agents were not counted'))
    },
  }
}

function add(counts: Map<string, Uses>, key: string, { reads, writes }: Uses): void {
  const before = counts.get(key) ?? { reads: 0, writes: 0 }
  counts.set(key, { reads: before.reads + reads, writes: before.writes + writes })
}
