import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { AuditList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { crashLoad, wholeText } from './crash-load.ts'
import { seededRandom, type Random } from './hostile-text.ts'
import { call, newHome, startSvcd, type Svcd } from './svcd.ts'
import { until } from './until.ts'
import { disagreements, doctorSays } from './vault-agreement.ts'

const WRITERS = 4
const STRUCTURES = 1
const AUDITED = 1000
// More unread notes than a daemon reads in its own process: for these it builds a segment in another process.
const BULK = 110
// The doctor runs only sometimes; the reader that shares no code with it runs after every round.
const DOCTOR_EVERY = 5

/**
 * Kills a daemon many times, under load and while it opens its vault. After each kill, compares disk, audit, index,
 * links and history with what was acknowledged. The same seed repeats the load and, as far as the machine allows, the
 * moments of the kills. Returns the number of acknowledged changes.
 */
export async function crashRounds({ kills, seed }: { kills: number; seed: number }): Promise<number> {
  const random = seededRandom(seed)
  const home = await newHome()
  await mkdir(join(home, 'vaults/v/bulk'), { recursive: true })
  const daemon = await startSvcd({ home, env: { SVC_SEARCH_DEADLINE_MS: '60000' } })
  try {
    const load = crashLoad(daemon, { writers: WRITERS, structures: STRUCTURES, random })
    await load.make()
    for (let kill = 2; kill <= kills; kill += 2) {
      const enough = load.acknowledgedTotal() + 2 + random.below(18)
      await load.runUntil(
        async () => {
          await until('some changes are acknowledged', () => load.acknowledgedTotal() >= enough)
          await systemClock.sleep(random.below(100))
        },
        () => daemon.kill(),
      )
      await changeMany(daemon, random)
      await daemon.restart()
      // This kill falls into the time in which the vault is read and a segment is built and installed.
      await systemClock.sleep(random.below(600))
      await daemon.kill()
      await daemon.restart()
      expect(await load.problems(), `after kill ${kill}`).toEqual([])
      expect(await unaudited(daemon, load.takeAcknowledged()), `after kill ${kill}`).toEqual([])
      // After a kill before the first write the vault has no folder for drafts yet.
      const drafts = await readdir(daemon.file('v', '.svc/tmp')).catch(() => [])
      expect(drafts, `after kill ${kill}`).toEqual([])
      expect(await disagreements(daemon), `after kill ${kill}`).toEqual([])
      if (kill % (2 * DOCTOR_EVERY) === 0 || kill + 2 > kills)
        expect(await doctorSays(daemon), `after kill ${kill}`).toEqual({ problems: [], history: 'equals the disk' })
    }
    return load.acknowledgedTotal()
  } finally {
    await daemon.remove()
  }
}

/** Somebody outside writes many notes at once while no daemon runs. */
async function changeMany(daemon: Svcd, random: Random): Promise<void> {
  for (let note = 0; note < BULK; note++) await writeFile(daemon.file('v', `bulk/${note}.md`), wholeText(random))
}

/**
 * Acknowledged changes without an audit entry that reports their completion, and audit entries of changes that still
 * count as running.
 */
async function unaudited(
  daemon: Svcd,
  acknowledged: ReturnType<ReturnType<typeof crashLoad>['takeAcknowledged']>,
): Promise<string[]> {
  const { entries } = AuditList.parse((await call(daemon, `/api/vaults/v/audit?limit=${AUDITED}`)).body)
  const done = entries.filter(({ outcome }) => outcome === 'done')
  // Deletions have no baseline that tells them apart, so only their number is compared.
  const keyOf = ({ tool, path, after }: { tool: string; path: string; after?: string | undefined }) =>
    `${tool} ${path} ${tool.startsWith('write_') ? (after ?? 'a conclusion was lost') : ''}`
  const counts = new Map<string, number>()
  for (const entry of done) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  const missing = acknowledged.slice(-AUDITED / 2).filter((mutation) => {
    const left = counts.get(keyOf(mutation)) ?? counts.get(keyOf({ ...mutation, after: undefined })) ?? 0
    counts.set(counts.has(keyOf(mutation)) ? keyOf(mutation) : keyOf({ ...mutation, after: undefined }), left - 1)
    return left <= 0
  })
  return [
    ...missing.map((mutation) => `no entry of ${keyOf(mutation)}`),
    ...entries.filter(({ outcome }) => outcome === 'pending').map(({ path }) => `pending: ${path}`),
  ]
}
