import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { idPrefixes } from '@svc/shared/wire/ids.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createControlPlane } from '../../control-plane/src/app.ts'
import { readConfig } from '../../control-plane/src/config.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createPostgresQueue } from '../../control-plane/src/jobs/queue-backend.ts'
import { outboxRepository } from '../../control-plane/src/mail/outbox.repository.ts'
import { createOutbox } from '../../control-plane/src/mail/outbox.ts'
import { managedDaemonResource } from '../../control-plane/src/managed-daemons/managed-daemon-resource.ts'
import { bundleDaemon } from '../../daemon/bundle.ts'
import { createFrontDoor } from '../../embedded/front-door.ts'
import { makeFirstAdmin } from './first-admin.ts'
import { quietLog, type TestCluster } from './kubernetes.ts'
import { operatorHarness, REPOSITORY } from './operator-harness.ts'
import { databaseMailbox } from './mailbox.ts'
import { createPerson, sendRaw } from './person.ts'
import { freePort } from './free-port.ts'
import { createTestDatabase } from './postgres.ts'

export const ADMIN_TOKEN = 'a-bearer-of-the-tests-that-is-long-enough'

/**
 * The platform as it runs in production except for the node: a control plane with its relay on a real socket, an
 * operator on a real Kubernetes API, and the built daemon as the program of the pods.
 */
export async function hostedCluster({ cluster, namespace }: { cluster: TestCluster; namespace: string }) {
  const world = await operatorHarness({ cluster, namespace })
  world.setAutoAccept('off') // the control plane does its part itself
  const image = await daemonImage(world, 'a')

  const database = await createTestDatabase()
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const { db, close } = openDatabase({ url: database.url, log: quietLog })
  const store = managedDaemonResource({ namespace, log: quietLog, kubeconfig: cluster.kubeconfig })
  const outbox = createOutbox({ outbox: outboxRepository(db, systemClock), clock: systemClock, log: quietLog })
  const operatorOrg = newId(idPrefixes.organization)
  const config = readConfig({
    BASE_URL: origin,
    ENVIRONMENT: 'local',
    DATABASE_URL: database.url.reveal(),
    AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
    MANAGED_DAEMON_ADMIN_TOKEN: ADMIN_TOKEN,
    OPERATOR_ORG: operatorOrg,
    DAEMON_IMAGE_REPOSITORY: REPOSITORY,
    DEFAULT_DAEMON_IMAGE: image,
    DAEMON_STORAGE_SIZE: '64Mi',
    DAEMON_STORAGE_CLASS: 'growing',
    MANAGED_DAEMON_STORE: 'none', // the store is passed in below
  })
  const controlPlane = await createControlPlane({
    config,
    db,
    clock: systemClock,
    log: quietLog,
    store,
    mail: outbox,
    outbox,
    queue: createPostgresQueue(database.url),
  })
  const {
    gateway,
    tunnels: { dialIn },
  } = controlPlane
  const door = createFrontDoor({ api: controlPlane.api.routing, gateway, dialIn })
  door.listen(port, '127.0.0.1')
  await once(door, 'listening')
  await controlPlane.start()
  world.start()

  return {
    world,
    origin,
    image,
    person: () => createPerson(origin, databaseMailbox(db)),
    systemAdmin: async () => {
      const admin = createPerson(origin, databaseMailbox(db))
      await admin.signUp({ email: 'admin@example.org' })
      await makeFirstAdmin({ db, origin }, operatorOrg, admin)
      return admin
    },
    raw: (method: string, path: string, call: { headers?: Record<string, string>; body?: string } = {}) =>
      sendRaw(origin, { method, path, body: undefined, ...call }),
    daemonImage: (mark: string) => daemonImage(world, mark),
    async stop(): Promise<void> {
      await world.stopOperators()
      door.close()
      await controlPlane.close()
      door.closeAllConnections()
      await store.close()
      await close()
      await world.stop()
      await database.drop()
    },
  }
}

/** Builds the daemon as an image of its own; `mark` becomes part of the version that it reports. */
async function daemonImage(world: Awaited<ReturnType<typeof operatorHarness>>, mark: string): Promise<string> {
  const digest = Buffer.from(`svcd-${mark}`).toString('hex').padEnd(64, '0')
  const dir = join(world.folder, 'images', digest)
  await bundleDaemon({ target: dir, ui: undefined })
  const manifest = join(dir, 'package.json')
  const description = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  await writeFile(manifest, JSON.stringify({ ...description, version: `${description.version}-${mark}` }))
  const reference = `${REPOSITORY}@sha256:${digest}`
  world.images.set(reference, dir)
  return reference
}
