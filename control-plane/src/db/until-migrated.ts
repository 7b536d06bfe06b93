import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from './database.ts'
import { pendingMigrations } from './migrator.ts'

const EVERY_MS = 1_000

/**
 * Waits until the schema has every migration of this build, or until the signal aborts. Also waits while the database
 * is away.
 */
export async function untilMigrated(db: Db, signal: AbortSignal): Promise<void> {
  const isBehind = async () => (await pendingMigrations(db).catch(() => ['?'])).length > 0
  while (!signal.aborted && (await isBehind())) await delay(EVERY_MS, undefined, { signal }).catch(() => {})
}
