// The relay of the bench: one replica over a Postgres of its own, with an organization and a person who has entered.
import { mkdtemp, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { migrate } from '../../control-plane/src/db/migrator.ts'
import { startPostgres } from '../../embedded/postgres.ts'
import { startReplica } from '../../test/support/relay-replica.ts'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'

const log = createLog({ service: 'bench', level: 'error' })
const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
await chmod(dataDir, 0o711)
const postgres = await startPostgres({ dataDir, clock: systemClock, log })
const url = await postgres.database('bench')
const { db, close } = openDatabase({ url, log, max: 2 })
await migrate(db)
await close()

const replica = await startReplica(url, { level: 'warn' })
const org = await replica.makeOrganization()
const person = await replica.makePerson(org.orgId)
const cookie = await replica.enter({ orgId: org.orgId, person, vault: 'bench' })
console.log(JSON.stringify({ port: replica.port, org, cookie }))

process.on('message', async (question: 'connected' | 'memory' | 'stop') => {
  if (question === 'connected') process.send?.((await replica.relay.status(org.orgId)).connected)
  if (question === 'memory') {
    globalThis.gc?.()
    process.send?.({ ...process.memoryUsage(), tunnels: replica.relay.tunnelCount() })
  }
  if (question === 'stop') {
    await replica.close()
    await postgres.stop()
    process.exit(0)
  }
})
process.on('disconnect', () => process.exit(0))
