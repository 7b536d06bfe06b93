// A process that locks a data folder as the platform does, and writes without pause: file n of a volume, then row n
// of the database. Each number that it prints was acknowledged by both. Its argument is the data folder.
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { lockData } from '../../embedded/installation/lock-data.ts'
import { databaseWasMade, openInstallation } from '../../embedded/installation/open-installation.ts'
import { dataLayout } from '../../embedded/installation/places.ts'

const log = createLog({ service: 'writing-platform', level: 'silent' })
const layout = dataLayout(process.argv[2] ?? '')
await mkdir(layout.dataDir, { recursive: true })
lockData(layout.dataDir)
const { id, databaseFolder } = await openInstallation({ layout, clock, log, say: () => {} })
const postgres = await startPostgres({ folder: databaseFolder, clock, log })
await databaseWasMade(layout, id)
const client = new pg.Client({ connectionString: (await postgres.database('svc')).reveal() })
client.on('error', () => process.exit(1))
await client.connect()
await client.query('create table written (n int)')

const home = join(layout.daemons, 'org-one/home')
await mkdir(home, { recursive: true })
for (let n = 1; ; n++) {
  const draft = join(home, '.draft')
  const file = await open(draft, 'w')
  await file.writeFile(`note ${n}`)
  await file.sync()
  await file.close()
  await rename(draft, join(home, `${n}.md`))
  await client.query('insert into written values ($1)', [n])
  process.stdout.write(`${n}\n`)
}
