// The control plane of the bench: one process over a Postgres of its own, with people, one organization and its key.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { createControlPlane } from '../../control-plane/src/app.ts'
import { readConfig } from '../../control-plane/src/config.ts'
import { openDatabase } from '../../control-plane/src/db/database.ts'
import { createPostgresQueue } from '../../control-plane/src/jobs/queue-backend.ts'
import { outboxRepository } from '../../control-plane/src/mail/outbox.repository.ts'
import { createOutbox } from '../../control-plane/src/mail/outbox.ts'
import { updateSchema } from '../../control-plane/src/update-schema.ts'
import { createFrontDoor } from '../../embedded/front-door.ts'
import { databaseMailbox } from '../../test/support/mailbox.ts'
import { createPerson } from '../../test/support/person.ts'
import { startBenchDatabase } from '../bench-database.ts'
import { answerParent } from '../part.ts'
import { createRecorder } from './record-statements.ts'

const PEOPLE = 20
const clock = systemClock
const log = createLog({ service: 'bench', level: 'error' })

const recorder = createRecorder()
const database = await startBenchDatabase()
const { db, close } = openDatabase({ url: database.url, log })
await updateSchema({ db, url: database.url, jobs: 'postgres' })
const port = await freePort()
const origin = `http://localhost:${port}`
const outbox = createOutbox({ outbox: outboxRepository(db, clock), clock, log })
const config = readConfig({
  BASE_URL: origin,
  DATABASE_URL: database.url.reveal(),
  AUTH_SECRET: 'a-secret-of-the-bench-that-is-long-enough',
  ENVIRONMENT: 'test',
  // Limits are counted by address, so each call of the bench names another one.
  TRUSTED_PROXIES: '127.0.0.1',
  MANAGED_DAEMON_STORE: 'none',
})
const controlPlane = await createControlPlane({
  config,
  db,
  clock,
  log,
  store: undefined,
  mail: outbox,
  outbox,
  queue: createPostgresQueue(database.url),
  resolveText: async () => [],
  fetchDocument: () => Promise.reject(new Error('no public web in the bench')),
})
const { api, gateway, tunnels } = controlPlane
const door = createFrontDoor({ api: (...exchange) => api.routing(...exchange), gateway, dialIn: tunnels.dialIn })
door.listen(port, '127.0.0.1')
await once(door, 'listening')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}

/** An organization of twenty people with an invitation, and the first of them signed in. */
async function makePeople() {
  const people = []
  for (let index = 0; index < PEOPLE; index += 1) {
    const person = createPerson(origin, databaseMailbox(db))
    await person.signUp({ email: `p${index}@example.org` })
    people.push(person)
  }
  const [first, ...others] = people as [(typeof people)[number], ...typeof people]
  const { body } = await first.post('/api/provisioning/orgs/self-hosted', { name: 'Bench' })
  const organizationId = body.organization.id as string
  const rows = others.map(({ id }) => ({ id: newId('mem_'), organizationId, userId: id, role: 'member' as const }))
  await db
    .insertInto('member')
    .values(rows.map((row) => ({ ...row, createdAt: clock.now() })))
    .execute()
  await first.post('/api/auth/organization/invite-member', {
    organizationId,
    email: 'guest@example.org',
    role: 'member',
  })
  const keyFile = join(database.folder, 'daemon.key')
  await writeFile(keyFile, body.apiKey as string, { mode: 0o600 })
  return {
    emails: people.map(({ email }) => email),
    cookie: [...first.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    orgId: organizationId,
    orgSlug: body.organization.slug as string,
    keyFile,
    passwordHash: (await db.selectFrom('account').select('password').executeTakeFirstOrThrow()).password,
  }
}

const answers = {
  origin: () => origin,
  databaseUrl: () => database.url.reveal(),
  folder: () => database.folder,
  people: makePeople,
  connected: async (orgId: string) => (await tunnels.status(orgId)).connected,
  startRecording: () => recorder.start(),
  endRecording: () => recorder.end(),
}
export type ControlPlaneAnswers = typeof answers
answerParent(answers, async () => {
  door.closeAllConnections()
  door.close()
  await controlPlane.close()
  await close()
  await database.stop()
})
