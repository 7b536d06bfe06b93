import pg from 'pg'
import type { Log } from '@svc/shared/kit/log.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { REPLICA_LOCK } from './advisory-locks.ts'
import { keptAlive } from './database.ts'

/**
 * Takes the lock of the only replica for the life of the process; undefined when another process holds it. Without
 * Redis, tunnels are known to one process only, so a second one could not find them.
 */
export async function takeReplicaLock({ url, log, onLost }: { url: Secret; log: Log; onLost(): void }) {
  const client = new pg.Client({ connectionString: url.reveal(), ...keptAlive })
  let released = false
  client.on('error', (err) => log.error({ err }, 'the lock of the only replica was lost'))
  client.once('end', () => {
    if (!released) onLost()
  })
  await client.connect()
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [REPLICA_LOCK])
  const release = async () => {
    released = true
    await client.end()
  }
  if (rows[0]?.taken) return { release }
  await release()
  return undefined
}
