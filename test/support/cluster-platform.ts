import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { startPostgres } from '../../embedded/database/postgres.ts'
import { accountKubeconfig, clusterClient, DAEMONS, installManifests, removeDaemons } from './cluster-access.ts'
import './end-with-parent.ts'
import { makeFirstAdmin } from './first-admin.ts'
import { databaseMailbox } from './mailbox.ts'
import { createPerson, type Person } from './person.ts'
import { freePort } from './free-port.ts'
import { runProgram, startProgram } from './program.ts'
import { removeFolder } from './remove-folder.ts'

/** What the tests in a cluster know about the platform that runs beside the cluster. */
export type ClusterPlatform = {
  kubeconfig: string
  /**
   * Image references by digest. `first`: this build. `next`: the same as a later version. `bad`: exits at once. Only on
   * a node of test/kubernetes: `deaf` is never ready, `picky` exits at once if the volume has a file `.refuse-picky`.
   */
  images: { first: string; next: string; bad: string; deaf: string; picky: string }
  origin: string
  /** Address of this machine as pods see it, and its listening ports. */
  host: string
  ports: { api: number; gateway: number; dialIn: number; operator: number }
  /** Its database, connected as the owner of the tables. */
  database: string
  /** Cookies of the system admin, from a sign-in at the start of the run. */
  admin: [string, string][]
  adminEmail: string
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterPlatform
  }
}

const NEEDED = ['KUBECONFIG', 'SVC_CLUSTER_IMAGES', 'SVC_CLUSTER_HOST'] as const
const START_BY_PROGRAM = 'npm run test:cluster sets them; npm run test:cluster -- --help says how to name them yourself'

/** Global setup: the real operator and control plane as processes beside the cluster, each with its own rights. */
export default async function setup(project: TestProject) {
  const [kubeconfig = '', references = '', host = ''] = NEEDED.map((name) => process.env[name])
  const [first = '', next = '', bad = '', deaf = '', picky = ''] = references.split(' ')
  if (kubeconfig === '' || bad === '' || host === '')
    throw new Error(`The tests of a cluster need ${NEEDED.join(', ')}: ${START_BY_PROGRAM}.`)

  const undo: (() => unknown)[] = []
  const tearDown = async () => {
    const failures: unknown[] = []
    for (const step of undo.splice(0).reverse())
      await Promise.resolve()
        .then(step)
        .catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  try {
    const client = clusterClient(kubeconfig)
    const repository = first.split('@')[0]!
    await installManifests(client, repository)
    const folder = await mkdtemp(join(tmpdir(), 'svc-cluster-'))
    undo.push(() => removeFolder(folder))
    const database = await startDatabase(undo)
    const kubeconfigOf = (account: string) =>
      accountKubeconfig({ client, admin: kubeconfig, account, file: join(folder, account) })

    const [api, gateway, dialIn, internal, operator] = await Promise.all(Array.from({ length: 5 }, freePort))
    const ports = { api: api!, gateway: gateway!, dialIn: dialIn!, operator: operator! }
    const origin = `http://localhost:${ports.api}`
    const operatorOrg = newId(idPrefixes.organization)
    const controlPlane = {
      file: 'control-plane/src/main.ts',
      environment: {
        KUBECONFIG: await kubeconfigOf('svc-control-plane'),
        ENVIRONMENT: 'test',
        BASE_URL: origin,
        VAULT_ORIGIN_TEMPLATE: `http://{label}.localhost:${ports.gateway}`,
        HOST: '0.0.0.0',
        PORT: String(ports.api),
        GATEWAY_PORT: String(ports.gateway),
        DIAL_IN_PORT: String(ports.dialIn),
        INTERNAL_PORT: String(internal),
        RELAY_INTERNAL_URL: `http://${host}:${ports.dialIn}`,
        DATABASE_URL: database,
        AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
        OPERATOR_ORG: operatorOrg,
        MANAGED_DAEMON_NAMESPACE: DAEMONS,
        DAEMON_IMAGE_REPOSITORY: repository,
        DEFAULT_DAEMON_IMAGE: first,
        DAEMON_STORAGE_SIZE: '64Mi',
        DAEMON_CPU: '300m',
        DAEMON_MEMORY: '256Mi',
      },
    }
    await runProgram({ ...controlPlane, args: ['migrate'] })
    const { stop } = await startProgram({ ...controlPlane, ready: `${origin}/api/health` })
    undo.push(stop)

    const running = await startProgram({
      file: 'operator/src/main.ts',
      environment: {
        KUBECONFIG: await kubeconfigOf('svc-operator'),
        IMAGE_REPOSITORY: repository,
        RELAY_EGRESS: JSON.stringify({ cidr: `${host}/32`, port: ports.dialIn }),
        OPERATOR_INGRESS: JSON.stringify({ cidr: `${host}/32` }),
        ALLOW_INSECURE_RELAY: '1',
        PORT: String(ports.operator),
      },
      ready: `http://127.0.0.1:${ports.operator}/ready`,
    })
    undo.push(running.stop, () => removeDaemons(client))

    const admin = await systemAdmin({ database, operatorOrg, origin })
    const images = { first, next, bad, deaf, picky }
    project.provide('cluster', {
      kubeconfig,
      images,
      origin,
      host,
      ports,
      database,
      admin: [...admin.cookies],
      adminEmail: admin.email,
    })
    return tearDown
  } catch (error) {
    await tearDown()
    throw error
  }
}

async function startDatabase(undo: (() => unknown)[]): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-cluster-db-'))
  await chmod(dataDir, 0o711) // as root, Postgres runs as another user and has to traverse it
  const log = createLog({ service: 'test-postgres', level: 'warn' })
  const server = await startPostgres({ folder: dataDir, log, clock: systemClock })
  undo.push(
    () => removeFolder(dataDir),
    () => server.stop(),
  )
  return (await server.database('svc')).reveal()
}

type AdminOptions = { database: string; operatorOrg: string; origin: string }

async function systemAdmin({ database, operatorOrg, origin }: AdminOptions): Promise<Person> {
  const log = createLog({ service: 'test', level: 'warn' })
  const { db, close } = openDatabase({ url: new Secret(database), log, max: 1 })
  const person = createPerson(origin, databaseMailbox(db))
  await person.signUp({ email: 'admin@example.org' })
  await makeFirstAdmin({ db, origin }, operatorOrg, person).finally(close)
  return person
}
