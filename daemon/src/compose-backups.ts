import { join } from 'node:path'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { createBackupCache } from './backups/backup-cache.ts'
import { backupsRoutes } from './backups/backups.routes.ts'
import { createServeBackup } from './backups/serve-backup.ts'
import { createServeRestore } from './backups/serve-restore.ts'
import { createTryHome, type Program } from './backups/throw-away-daemon.ts'
import type { Disk } from './files/disk/disk.ts'
import { createFileRoot } from './files/file-root.ts'
import type { HomeLayout } from './home/home-layout.ts'
import type { VaultRegistry } from './vaults/vault-registry.ts'

/** How the process of this daemon was started, and how to end it so that it is started again. */
export type RestartDeps = { program: Program; restart(): void }

type Deps = RestartDeps & {
  config: { reservedBytes: number; searchPath: string }
  layout: HomeLayout
  disk: Disk
  registry: Pick<VaultRegistry, 'list'>
  clock: Clock
  log: Log
}

/** The routes of backup and restore, with what they need. */
export function composeBackups({
  config,
  layout,
  disk,
  registry,
  program,
  restart,
  clock,
  log,
}: Deps): FastifyPluginAsyncZod {
  const { reservedBytes, searchPath } = config
  const cache = createBackupCache({ folder: join(layout.daemon, 'backups'), log })
  const refuseAway = async () => {
    for (const vault of registry.list()) await vault.files.mounted.refuseAwayBelow('')
  }
  /** The text of an open note that cannot be saved is in the live log, which a backup copies before the notes. */
  const flush = async () => {
    for (const { id, live, queue } of registry.list()) {
      const [failed] = await Promise.all([live.flush(), queue.drain()])
      for (const err of failed.values())
        log.warn(
          { err, vault: id },
          'an open note could not be saved before a backup, which has its text in the live log',
        )
    }
  }
  return backupsRoutes({
    layout,
    serveBackup: createServeBackup({ layout, cache, flush, refuseAway, clock, log }),
    serveRestore: createServeRestore({
      layout,
      volume: createFileRoot({ path: layout.home, disk, reservedBytes }),
      tryHome: createTryHome({ program, searchPath, clock }),
      restart,
      clock,
      log,
    }),
  })
}
