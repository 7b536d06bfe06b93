import type { Server } from 'node:http'
import { Redis } from 'ioredis'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { createLog, type Log } from '@svc/shared/kit/log.ts'
import { Shutdown } from '@svc/shared/kit/shutdown.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { createControlPlane } from './app.ts'
import { describeConfig, readConfig, type Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { grantToAppRole, makeAppRole } from './db/app-role.ts'
import { pendingMigrations } from './db/migrator.ts'
import { untilMigrated } from './db/until-migrated.ts'
import { takeReplicaLock } from './db/replica-lock.ts'
import { createInternalDoor } from './http/internal-door.ts'
import { endKeepAlive, listen, stopListening, type Door } from './http/listen.ts'
import { createPostgresQueue, createRedisQueue } from './jobs/queue-backend.ts'
import { outboxRepository } from './mail/outbox.repository.ts'
import { createOutbox } from './mail/outbox.ts'
import { smtpSender } from './mail/smtp.ts'
import { NotReachable, reachDatabase, reachRedis } from './reach-stores.ts'
import { updateSchema } from './update-schema.ts'

const HELP = `node control-plane/src/main.ts [serve | migrate | roles] runs the control plane, or brings its database up to date.

Commands
  serve    (default) API and web app, vault gateway, dial-in of daemons and internal listener; jobs by SVC_ROLE
  migrate  applies what is missing of the schema, as the owner of the database, names it and ends
  roles    makes the role svc_app, which serve connects as, or gives it the password of DATABASE_APP_PASSWORD

Environment
${describeConfig()}

Exit codes: 0 done, 64 usage, 75 try again later, 78 configuration, 1 anything else.`

type Opening = { name: string; door: Door; address: { host: string; port: number } }

const DRAIN_MS = 25_000
/** The statements of a replica are short: one without an answer for that long will get none. */
const DATABASE_SILENT_MS = 60_000

async function runMigrate(config: Config, log: Log): Promise<number> {
  const url = config.databaseOwnerUrl
  const { db, close } = openDatabase({ url, log, max: 2 })
  try {
    await reachDatabase(db, ownerOf(config), waitingOf(config, log))
    const applied = await updateSchema({ db, url, jobs: config.redisUrl === undefined ? 'postgres' : 'redis' })
    log.info({ applied }, applied.length === 0 ? 'the schema is up to date' : 'the schema was brought up to date')
    return exitCodes.ok
  } finally {
    await close()
  }
}

const ownerOf = ({ databaseOwnerUrl: url, databaseUrl }: Config) => ({
  url,
  variable: url.reveal() === databaseUrl.reveal() ? 'DATABASE_URL' : 'DATABASE_OWNER_URL',
})

const waitingOf = ({ storeWaitMs }: Config, log: Log) => ({ clock: systemClock, log, withinMs: storeWaitMs })

async function runRoles(config: Config, log: Log): Promise<number> {
  const { db, close } = openDatabase({ url: config.databaseOwnerUrl, log, max: 2 })
  try {
    await reachDatabase(db, ownerOf(config), waitingOf(config, log))
    const outcome = await makeAppRole(db, config.databaseAppPassword)
    const isMigrated = (await pendingMigrations(db)).length === 0
    if (isMigrated) await grantToAppRole(db)
    log.info({ outcome }, isMigrated ? 'svc_app may connect' : 'svc_app is there; migrate gives it its rights')
    return exitCodes.ok
  } finally {
    await close()
  }
}

/** Serves until a signal. A start that fails closes what it has opened; one that a signal stops ends with 0. */
async function serve(config: Config, log: Log): Promise<number | undefined> {
  const shutdown = new Shutdown(log)
  shutdown.onSignals()
  try {
    return await startServing(config, { log, shutdown })
  } catch (error) {
    // After a signal this process ends here, when all is closed.
    await shutdown.close()
    throw error
  }
}

type Starting = { log: Log; shutdown: Shutdown }

async function startServing(config: Config, { log, shutdown }: Starting): Promise<number | undefined> {
  const { db, close: closeDatabase } = openDatabase({
    url: config.databaseUrl,
    log,
    max: config.databasePool,
    silentMs: DATABASE_SILENT_MS,
  })
  shutdown.add('database', closeDatabase)

  const waiting = waitingOf(config, log)
  await reachDatabase(db, { url: config.databaseUrl, variable: 'DATABASE_URL' }, waiting)

  const pending = await pendingMigrations(db)
  if (pending.length > 0) log.warn({ pending }, 'the schema is older than this program: not ready until it is migrated')

  const redis =
    config.redisUrl === undefined
      ? undefined
      : new Redis(config.redisUrl.reveal(), {
          enableOfflineQueue: false,
          maxRetriesPerRequest: 1,
          commandTimeout: 2_000,
          retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
        })
  redis?.on('error', (err) => log.warn({ err }, 'Redis is away'))
  shutdown.add('redis', () => redis?.disconnect())
  if (redis !== undefined && config.redisUrl !== undefined) await reachRedis(redis, config.redisUrl, waiting)
  if (redis === undefined) {
    const onLost = () => void shutdown.close().then(() => process.exit(exitCodes.tryAgain))
    const lock = await takeReplicaLock({ url: config.databaseUrl, log, onLost })
    if (lock === undefined) {
      log.error('another replica is running; several replicas need REDIS_URL')
      await shutdown.close()
      return exitCodes.tryAgain
    }
    shutdown.add('replica lock', lock.release)
  }

  const outbox = createOutbox({ outbox: outboxRepository(db, systemClock), clock: systemClock, log })
  const { smtp, from } = config.mail
  const mail = smtp === undefined ? outbox : smtpSender({ url: smtp, from, log })
  const controlPlane = await createControlPlane({
    config,
    db,
    clock: systemClock,
    log,
    store: await openStore(config, { log, shutdown }),
    mail,
    outbox: smtp === undefined ? outbox : undefined,
    queue: config.redisUrl === undefined ? createPostgresQueue(config.databaseUrl) : createRedisQueue(config.redisUrl),
    redis,
  })
  shutdown.add('control plane', controlPlane.close)

  const { api, gateway, tunnels } = controlPlane
  const { listeners } = config
  const apiDoor: Door = { request: (request, response) => api.routing(request, response) }
  const relayDoors: Opening[] = [
    { name: 'gateway', door: gateway, address: listeners.gateway },
    { name: 'dial-in', door: tunnels.dialIn, address: listeners.dialIn },
  ]
  const publicDoors: Opening[] =
    config.role === 'worker'
      ? []
      : [{ name: 'api', door: apiDoor, address: listeners.api }, ...(config.role === 'mcp' ? [] : relayDoors)]
  const servers: Server[] = []
  for (const { name, door, address } of [
    {
      name: 'internal',
      door: createInternalDoor({ ...controlPlane, peerUpgrade: tunnels.peerUpgrade }),
      address: listeners.internal,
    },
    ...publicDoors,
  ]) {
    const server = await listen(door, address)
    servers.push(server)
    shutdown.add(name, () => stopListening(server, DRAIN_MS))
    log.info({ ...address, listener: name }, 'listening')
  }
  shutdown.add('tunnels', () => {
    servers.forEach(endKeepAlive)
    return controlPlane.drain(DRAIN_MS)
  })
  // Migrations run beside a new release: its replicas wait, not ready, instead of failing on missing tables.
  const stopped = new AbortController()
  shutdown.add('wait for the schema', () => stopped.abort())
  if (pending.length > 0) await untilMigrated(db, stopped.signal)
  if (stopped.signal.aborted) return undefined

  await controlPlane.start()
  if (smtp === undefined) console.log(`Outbox   ${await outbox.mintLink(config.baseUrl)}`)
  return undefined
}

async function openStore({ managedDaemons }: Config, { log, shutdown }: Starting) {
  if (managedDaemons.store === 'none') return undefined
  // Loaded only in a cluster: its client is the largest dependency of the process.
  const { managedDaemonResource } = await import('./managed-daemons/managed-daemon-resource.ts')
  const { namespace, kubeconfig } = managedDaemons
  const store = managedDaemonResource({ namespace, log, ...(kubeconfig === undefined ? {} : { kubeconfig }) })
  shutdown.add('managed daemon resources', store.close)
  return store
}

const commands = { serve, migrate: runMigrate, roles: runRoles }
const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

async function main(args: string[]): Promise<number | undefined> {
  const [command = 'serve', ...rest] = args
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP)
    return exitCodes.ok
  }
  if (rest.length > 0 || !isCommand(command)) {
    console.error(`${args.join(' ')}: unknown arguments. --help shows what there is.`)
    return exitCodes.usage
  }
  const config = readConfig()
  const log = createLog({ service: 'svc-control-plane', level: config.logLevel })
  return commands[command](config, log)
}

try {
  const code = await main(process.argv.slice(2))
  if (code !== undefined) process.exit(code)
} catch (error) {
  const code = (error as NodeJS.ErrnoException).code
  console.error(
    error instanceof ConfigurationError ? error.message : `The control plane cannot start: ${describe(error)}`,
  )
  const busy = code === 'EADDRINUSE' || code === 'ECONNREFUSED' || error instanceof NotReachable
  process.exit(
    error instanceof ConfigurationError ? exitCodes.configuration : busy ? exitCodes.tryAgain : exitCodes.failure,
  )
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
