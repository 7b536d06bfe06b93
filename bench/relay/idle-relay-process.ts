// The relay of the idle tunnels: one replica with enough organizations, alone in its process, whose memory is measured.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '@svc/shared/kit/log.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { startReplica } from '../../test/support/relay-replica.ts'
import { insertOrganizations } from '../herd/organizations.ts'
import { answerParent, partOptions } from '../part.ts'
import { startBenchDatabase } from '../bench-database.ts'

/** Bytes. V8 counts heap and external; resident is what the system has assigned. */
export type Memory = { heap: number; external: number; resident: number }

const COLLECTIONS = 3
const BETWEEN_MS = 200

const { acceptsPerSecond } = partOptions<{ acceptsPerSecond: number }>()
const database = await startBenchDatabase()
const replica = await startReplica(database.url, { level: 'warn', acceptsPerSecond })

const memory = (): Memory => {
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed, external, resident: rss }
}

const answers = {
  port: () => replica.port,
  organizations: async (count: number) => {
    const log = createLog({ service: 'bench', level: 'error' })
    const { db, close } = openDatabase({ url: database.url, log, max: 1 })
    const made = await insertOrganizations(db, count)
    await close()
    return made
  },
  tunnels: () => replica.relay.tunnelCount(),
  asFound: memory,
  /**
   * Memory after collections like those under memory pressure, at which V8 also returns pages that it keeps for later.
   */
  collected: async () => {
    for (let i = 0; i < COLLECTIONS; i++) {
      await globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' })
      await sleep(BETWEEN_MS)
    }
    return memory()
  },
}
export type IdleRelayAnswers = typeof answers
answerParent(answers, async () => {
  await replica.close()
  await database.stop()
})
