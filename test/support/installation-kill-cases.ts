import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { adoptDatabase } from '../../embedded/installation/adopt-database.ts'
import { dataLayout } from '../../embedded/installation/places.ts'
import { killAtEachChange, namesOf, opened, putDatabase, putParts, putRecord } from './installation-kills.ts'
import { removeFolder } from './remove-folder.ts'

type Pick = (changes: number) => number[]
type Case = (dataDir: string, pick: Pick) => Promise<number>

const [OLD, NEW] = ['ins_aaaaaaaaaaaa', 'ins_bbbbbbbbbbbb']
const whole = (name: string, id: string) => ({ id, database: name, vault: name, secret: name })

/**
 * A data folder whose record is gone and whose secrets belong to another installation: `--adopt` takes both from the
 * database.
 */
const adopt: Case = async (dataDir, pick) => {
  await putDatabase(dataDir, OLD, 'old')
  await putParts(dataDir, 'old')
  await writeFile(dataLayout(dataDir).secrets, JSON.stringify({ authSecret: 'f'.repeat(43), operatorOrg: `org_${'f'.repeat(24)}` })) // prettier-ignore
  const layout = dataLayout(dataDir)
  const quiet = { layout, clock, log: createLog({ service: 'test', level: 'silent' }), say: () => {} }
  return killAtEachChange({
    action: 'adopt',
    from: dataDir,
    pick,
    after: async () => {
      const found = await opened(dataDir)
      if ('refused' in found) {
        expect(found.refused).toContain('--adopt')
        await adoptDatabase({ ...quiet, id: undefined })
      }
      expect(await opened(dataDir)).toEqual(whole('old', OLD))
      expect(await readFile(`${layout.secrets}.replaced`, 'utf8')).toContain('ffff')
    },
  })
}

/**
 * After a kill before the order is written, everything is still there. After a later kill, the next start deletes the
 * rest.
 */
const reset: Case = async (dataDir, pick) => {
  await putDatabase(dataDir, OLD, 'old')
  await putParts(dataDir, 'old')
  await putRecord(dataDir, OLD)
  await writeFile(join(dataDir, 'not-ours'), '')
  return killAtEachChange({
    action: 'reset',
    from: dataDir,
    pick,
    after: async () => {
      const found = await opened(dataDir)
      const isOld = 'id' in found && found.id === OLD
      if (isOld) expect(found).toEqual(whole('old', OLD))
      else expect(found).toMatchObject({ database: '', vault: '' })
      const left = (await namesOf(dataDir)).filter((name) => !name.startsWith('postgres-'))
      const parts = isOld ? ['daemons', 'images'] : []
      expect(left).toEqual([...parts, 'installation.json', 'not-ours', 'secrets.json'].toSorted())
    },
  })
}

/** A restore over an existing installation that has been decided. The next start completes it. */
const decidedRestore: Case = async (dataDir, pick) => {
  const layout = dataLayout(dataDir)
  await putDatabase(dataDir, OLD, 'old')
  await putParts(dataDir, 'old')
  await putRecord(dataDir, OLD)
  await putDatabase(dataDir, NEW, 'new')
  await rm(join(layout.database(NEW), 'installation.json'))
  await putParts(layout.restoring, 'new')
  await writeFile(join(layout.restoring, 'staging.json'), JSON.stringify({ database: layout.database(NEW) }))
  const order = { action: 'restore', id: NEW, database: layout.database(NEW), remove: [layout.database(OLD)] }
  await writeFile(layout.pending, JSON.stringify(order))
  return killAtEachChange({
    action: 'start',
    from: dataDir,
    pick,
    after: async () => {
      expect(await opened(dataDir)).toEqual(whole('new', NEW))
      expect(await namesOf(dataDir)).toEqual(
        ['daemons', 'images', 'installation.json', `postgres-${NEW}`, 'secrets.json'].toSorted(),
      )
    },
  })
}

/** The cases by name. Each prepares its state in an empty folder and returns the number of file system changes. */
export const installationKillCases = { adopt, reset, 'a decided restore': decidedRestore }

/** Runs one case in a folder of its own. */
export async function runKillCase(name: keyof typeof installationKillCases, pick: Pick): Promise<number> {
  const base = await mkdtemp(join(tmpdir(), 'svc-kill-'))
  try {
    await chmod(base, 0o711) // as root: the database is in the data folder
    await mkdir(join(base, 'data'))
    return await installationKillCases[name](join(base, 'data'), pick)
  } finally {
    await removeFolder(base)
  }
}
