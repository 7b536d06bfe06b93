import { resolve } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { restoreBackup } from './backup/restore-backup.ts'
import { showProgress } from './backup/show-progress.ts'
import { readBackupCommand } from './command-line.ts'
import { endWith } from './end-with.ts'
import { dataLayout } from './installation/places.ts'
import { WrongUse } from './installation/refusal.ts'

const HELP = `npm run restore -- FILE [--data DIR] [--force] brings back what npm run backup wrote, as the user that runs it.

  FILE         a backup of this or an older version
  --data DIR   folder of all state (SVC_DATA)
  --force      replace the installation that is there
  --help       this text

The platform must be stopped. Every byte is verified and the database is opened once before anything is replaced; a
restore that was killed is undone or completed by the next start. The restored installation has an id of its own and runs
beside the one it was taken from, on another port. People sign in as before. A platform with a DATABASE_URL has to be
restored by its own means.`

await main().catch(endWith)

async function main(): Promise<void> {
  const { asked, file, dataDir, databaseUrl, force } = readBackupCommand(process.argv.slice(2))
  if (asked === 'help') return console.log(HELP)
  // A backup has a database of its own, and its secrets would replace those that alone open the database of the URL.
  if (databaseUrl)
    throw new WrongUse(
      'DATABASE_URL is set: restore that database by its own means, and SVC_DATA with it, or unset it to restore a backup.',
    )

  const progress = showProgress('Restoring')
  const { id, databaseFolder } = await restoreBackup({
    layout: dataLayout(dataDir),
    file: resolve(file),
    existing: force ? 'replace' : 'keep',
    clock: systemClock,
    log: createLog({ service: 'svc-restore', level: 'warn', destination: process.stderr }),
    say: progress.say,
    onProgress: progress.show,
  })
    .finally(progress.end)
    .catch((error: unknown) => endWith(error, dataDir))
  console.log(
    `  Restored into ${dataDir} as the installation ${id}; its database is ${databaseFolder}. Start: npm start`,
  )
}
