import { resolve } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { showProgress } from './backup/show-progress.ts'
import { takeBackup } from './backup/take-backup.ts'
import { readBackupCommand } from './command-line.ts'
import { endWith } from './end-with.ts'
import { shownBytes } from './installation/folder-size.ts'
import { dataLayout } from './installation/places.ts'
import { WrongUse } from './installation/refusal.ts'

const HELP = `npm run backup -- FILE [--data DIR] writes all state of the platform into one new file, while it runs or not:
database (accounts, organizations, outbox), secrets, and the volumes of its daemons with every vault and its history.

  FILE         the backup; a compressed tar archive that only you can read. It holds secrets in plain text.
  --data DIR   folder of all state (SVC_DATA)
  --help       this text

The backup is what a power cut at one moment near its end would have left: everything that was acknowledged before that
moment is in it, and database and vaults fit together. The platform stands still for that moment, usually well below a
second; requests wait. Log files are left out. Sockets, devices and names that are not UTF-8 are left out, too, and told.
A platform with a DATABASE_URL has to be backed up by its own means.`

await main().catch(endWith)

async function main(): Promise<void> {
  const { asked, file, dataDir, databaseUrl } = readBackupCommand(process.argv.slice(2))
  if (asked === 'help') return console.log(HELP)
  if (databaseUrl)
    throw new WrongUse('DATABASE_URL is set: back up that database by its own means, and SVC_DATA with it.')

  const progress = showProgress('Backing up')
  const taken = await takeBackup({
    layout: dataLayout(dataDir),
    file: resolve(file),
    clock: systemClock,
    log: createLog({ service: 'svc-backup', level: 'warn', destination: process.stderr }),
    onProgress: progress.show,
  }).finally(progress.end)
  for (const name of taken.skipped) console.error(`  Left out, since it is no file or its name is not UTF-8: ${name}`)
  const pause = taken.stoodStillMs > 0 ? `; the platform stood still for ${Math.ceil(taken.stoodStillMs)} ms` : ''
  console.log(
    `  ${file}: ${taken.files} files, ${shownBytes(taken.bytes)}, packed ${shownBytes(taken.archiveBytes)}${pause}`,
  )
}
