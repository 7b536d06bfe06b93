// Run as a process of its own. Executes an order on a data folder, as a start with that order does, and kills itself
// before the n-th change of the file system, counted from 1. If it survives, it prints the number of changes.
import { join } from 'node:path'
import { beforeEachChange } from './file-changes.ts'

const [, , action = '', dataDir = '', dieAt = '0', file = ''] = process.argv
let changes = 0
beforeEachChange(() => {
  changes += 1
  if (changes === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
})

const installation = (name: string) => import(join(import.meta.dirname, '../../embedded', name))
const { systemClock: clock } = await import('@svc/shared/kit/clock.ts')
const { createLog } = await import('@svc/shared/kit/log.ts')
const { dataLayout } = await installation('installation/places.ts')
const { completePending } = await installation('installation/pending.ts')
const quiet = {
  layout: dataLayout(dataDir),
  clock,
  log: createLog({ service: 'test', level: 'silent' }),
  say: () => {},
}

if (action === 'restore') {
  const { restoreBackup } = await installation('backup/restore-backup.ts')
  await restoreBackup({ ...quiet, file, existing: 'replace', onProgress: () => {} })
} else await completePending(quiet.layout, quiet.say)
if (action === 'adopt') {
  const { adoptDatabase } = await installation('installation/adopt-database.ts')
  await adoptDatabase({ ...quiet, id: undefined })
}
if (action === 'reset') {
  const { listInstallation, resetInstallation } = await installation('installation/reset-installation.ts')
  await resetInstallation({ ...quiet, paths: await listInstallation(quiet.layout) })
}
console.log(changes)
