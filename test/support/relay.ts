import type { RelayDeps } from './relay-composition.ts'
import { createTestDatabase } from './postgres.ts'
import { startReplica, type RelayHarness } from './relay-replica.ts'

/** Starts one replica of the relay over a database of its own. */
export async function startRelay(given: Partial<RelayDeps> = {}): Promise<RelayHarness> {
  const database = await createTestDatabase()
  const replica = await startReplica(database.url, given)
  return {
    ...replica,
    close: async () => {
      await replica.close()
      await database.drop()
    },
  }
}
