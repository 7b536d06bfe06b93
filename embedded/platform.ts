import { once } from 'node:events'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { createControlPlane } from '@svc/control-plane/src/app.ts'
import { readConfig } from '@svc/control-plane/src/config.ts'
import { openDatabase } from '@svc/control-plane/src/db/database.ts'
import { createPostgresQueue, createRedisQueue } from '@svc/control-plane/src/jobs/queue-backend.ts'
import { outboxRepository } from '@svc/control-plane/src/mail/outbox.repository.ts'
import { createOutbox } from '@svc/control-plane/src/mail/outbox.ts'
import { smtpSender } from '@svc/control-plane/src/mail/smtp.ts'
import { mintSetupLink } from '@svc/control-plane/src/setup/setup-link.ts'
import { setupRepository } from '@svc/control-plane/src/setup/setup.repository.ts'
import { createReconciler } from '@svc/operator/src/reconciler/reconciler.ts'
import { processRuntime } from '@svc/operator/src/runtime/processes/processes.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import type { EmbeddedConfig } from './config.ts'
import { createFrontDoor } from './front-door.ts'
import { explainSecret, keepSecrets } from './installation/kept-secrets.ts'
import { dataLayout } from './installation/places.ts'
import { importLocalImage, removeKilledImports } from './local-images.ts'
import { openManagedDaemonTable } from './managed-daemon-table.ts'
import { givenDatabase, ownDatabase, prepareDatabase } from './platform-database.ts'
import { completeSecrets } from './platform-secrets.ts'

/** Repository of the images that the embedded platform makes from its own build. */
const IMAGE_REPOSITORY = 'local/svcd'
const REQUEST_PATIENCE_MS = 5_000

type Options = {
  config: EmbeddedConfig
  clock: Clock
  log: Log
  /** An essential part has ended by itself. */
  onLost: (what: string) => void
  /** Shows a line to the person at the terminal. */
  say: (line: string) => void
}

/** What a started platform shows to the person at the terminal. */
export type Started = {
  baseUrl: string
  outboxLink: string | undefined
  setupLink: string | undefined
  /** Folder of the platform's own database; undefined when it uses another. */
  databaseFolder: string | undefined
}

/**
 * The whole platform in one process: database, control plane, jobs, reconciler, and managed daemons as children.
 * Closing it stops requests first, then daemons (each flushes), then the database.
 */
export async function startPlatform(options: Options) {
  const shutdown = new Shutdown(options.log)
  try {
    return { started: await compose({ ...options, shutdown }), shutdown }
  } catch (error) {
    await shutdown.close()
    throw error
  }
}

async function compose(options: Options & { shutdown: Shutdown }): Promise<Started> {
  const { config, clock, log, shutdown } = options
  const { dataDir } = config
  const baseUrl = `http://localhost:${config.port}`

  const {
    ownerUrl,
    databaseUrl,
    databaseFolder,
    secrets: kept,
  } = config.databaseUrl ? await givenDatabase(config.databaseUrl, dataDir) : await ownDatabase(options)
  const layout = dataLayout(dataDir)
  const secrets = completeSecrets(kept, config)
  await prepareDatabase({ ownerUrl, databaseUrl, log })
  const { db, pool, close } = openDatabase({ url: databaseUrl, log, max: 20 })
  shutdown.add('database connections', close)
  const imagesDir = join(dataDir, 'images')
  await removeKilledImports(imagesDir)
  const image = await importLocalImage({ bundleDir: config.bundleDir, imagesDir })
  const store = openManagedDaemonTable({ pool, clock, log })
  const runtime = processRuntime({
    dataDir: join(dataDir, 'daemons'),
    imagesDir,
    relayOrigin: baseUrl, // their specs may name the port of an earlier run
    clock,
    log,
    random: Math.random,
  })
  shutdown.add('managed daemons', runtime.stop)
  const reconciler = createReconciler({ store, runtime, clock, log, random: Math.random })
  shutdown.add('reconciler', reconciler.stop)

  const redis = config.redisUrl && new Redis(config.redisUrl.reveal())
  redis?.on('error', (error) => log.warn({ err: error }, 'Redis is away'))
  shutdown.add('redis', () => redis?.disconnect())
  const outbox = createOutbox({ outbox: outboxRepository(db, clock), clock, log })
  const controlPlaneConfig = readConfig({
    BASE_URL: baseUrl,
    ENVIRONMENT: 'local',
    DATABASE_URL: databaseUrl.reveal(),
    AUTH_SECRET: secrets.authSecret.reveal(),
    AUTH_SECRET_PREVIOUS: config.authSecretPrevious?.reveal(),
    OPERATOR_ORG: secrets.operatorOrg,
    DAEMON_IMAGE_REPOSITORY: IMAGE_REPOSITORY,
    DEFAULT_DAEMON_IMAGE: image,
    DAEMON_IDLE_SECONDS: String(config.daemonIdleSeconds),
    MCP_ENABLED: config.mcpEnabled ? '1' : '0',
    MANAGED_DAEMON_STORE: 'none', // the store is handed in below
    WEB_ROOT: config.webRoot,
    METRICS_PUBLIC: '1',
    ...(config.backups && {
      BACKUP_BUCKET: config.backups.bucket,
      BACKUP_ENDPOINT: config.backups.endpoint,
      BACKUP_REGION: config.backups.region,
      BACKUP_ACCESS_KEY_ID: config.backups.accessKeyId,
      BACKUP_SECRET_ACCESS_KEY: config.backups.secretAccessKey?.reveal(),
      BACKUP_KEY: secrets.backupKey.reveal(),
      BACKUP_EVERY_SECONDS: String(config.backups.everySeconds),
    }),
  })
  const controlPlane = await createControlPlane({
    config: controlPlaneConfig,
    db,
    clock,
    log,
    store,
    mail: config.smtpUrl ? smtpSender({ url: config.smtpUrl, from: controlPlaneConfig.mail.from, log }) : outbox,
    outbox: config.smtpUrl ? undefined : outbox,
    queue: config.redisUrl ? createRedisQueue(config.redisUrl) : createPostgresQueue(databaseUrl),
    redis,
  }).catch(explainSecret(layout))
  await keepSecrets({ layout, databaseFolder, secrets })
  const door = createFrontDoor({
    api: controlPlane.api.routing,
    gateway: controlPlane.gateway,
    dialIn: controlPlane.tunnels.dialIn,
  })
  // Tunnels are connections of the front door too: it stops accepting first, and is empty only after the control plane
  // has closed them.
  shutdown.add('connections', () => untilEmpty(door))
  shutdown.add('control plane', controlPlane.close)
  await listen(door, config.port)
  shutdown.add('front door', () => {
    door.close()
    door.closeIdleConnections()
  })
  await controlPlane.start()
  reconciler.start()

  const setup = setupRepository(db, clock)
  return {
    baseUrl,
    databaseFolder,
    outboxLink: config.smtpUrl ? undefined : await outbox.mintLink(baseUrl),
    setupLink: await mintSetupLink({ setup, operatorOrg: secrets.operatorOrg, baseUrl }),
  }
}

async function listen(door: Server, port: number): Promise<void> {
  door.listen(port, '127.0.0.1')
  await once(door, 'listening')
}

/** Waits until the last connection is closed; requests that do not end by themselves are cut. */
async function untilEmpty(door: Server): Promise<void> {
  const patience = setTimeout(() => door.closeAllConnections(), REQUEST_PATIENCE_MS)
  const empty = () => new Promise<boolean>((resolve) => door.getConnections((_, count) => resolve(count === 0)))
  while (!(await empty())) await new Promise((resolve) => setTimeout(resolve, 20))
  clearTimeout(patience)
}
