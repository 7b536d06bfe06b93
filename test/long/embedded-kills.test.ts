import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { takeBackup } from '../../embedded/backup/take-backup.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { databaseLayout, dataLayout } from '../../embedded/installation/places.ts'
import { verifies } from '../requirements.ts'
import { installationKillCases, runKillCase } from '../support/installation-kill-cases.ts'
import { killAtEachChange, namesOf, opened, putDatabase, putParts, putRecord } from '../support/installation-kills.ts'
import { removeFolder } from '../support/remove-folder.ts'

const names = Object.keys(installationKillCases) as (keyof typeof installationKillCases)[]
const steps = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test.each(names)('%s, killed before each of its changes', { timeout: 1_800_000 }, async (name) => {
  verifies('embedded.kills')
  console.log(`${name}: killed at each of ${await runKillCase(name, steps)} changes`)
})

// Unpacking consists of many changes of the same kind. Kill before some of them, and before each change that follows.
const UNPACKING = 20
const AFTER = 45
const [OLD, NEW] = ['ins_aaaaaaaaaaaa', 'ins_bbbbbbbbbbbb']

test('a restore over an installation, killed anywhere, ends with all of the old or all of the new', async () => {
  verifies('embedded.kills', 'embedded.restore-safe')
  const base = await mkdtemp(join(tmpdir(), 'svc-kill-'))
  const log = createLog({ service: 'test', level: 'silent' })
  try {
    await chmod(base, 0o711)
    const [source, target, file] = [join(base, 'source'), join(base, 'target'), join(base, 'backup.tgz')]
    const folder = dataLayout(source).database(NEW)
    await mkdir(source)
    await (await startPostgres({ folder, clock, log })).stop()
    await writeFile(join(databaseLayout(folder).cluster, 'name'), 'new')
    await writeFile(join(folder, 'installation.json'), JSON.stringify({ format: 1, id: NEW, dataDir: source }))
    await putParts(source, 'new')
    await putRecord(source, NEW)
    await takeBackup({ layout: dataLayout(source), file, clock, log, onProgress: () => {} })

    await putDatabase(target, OLD, 'old')
    await putParts(target, 'old')
    await putRecord(target, OLD)
    const seen = { old: 0, new: 0 }
    const changes = await killAtEachChange({
      action: 'restore',
      from: target,
      file,
      pick: (count) => steps(count).filter((at) => at > count - AFTER || at % Math.ceil(count / UNPACKING) === 1),
      after: async () => {
        const found = await opened(target)
        const which = 'id' in found && found.id === OLD ? 'old' : 'new'
        seen[which] += 1
        expect(found).toMatchObject({ database: which, vault: which, secret: which })
        expect((await namesOf(target)).filter((name) => !name.startsWith('postgres-') && name !== 'lock')).toEqual([
          'daemons',
          'images',
          'installation.json',
          'secrets.json',
        ])
        expect((await namesOf(target)).filter((name) => name.startsWith('postgres-'))).toHaveLength(1)
      },
    })
    console.log(`a restore of ${changes} changes: ${seen.old} kills left the old state, ${seen.new} the new one`)
    expect(Math.min(seen.old, seen.new)).toBeGreaterThan(1)
  } finally {
    await removeFolder(base)
  }
}, 1_800_000)
