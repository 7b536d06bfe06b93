import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { createLog, type Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import { createControlPlane, type ControlPlane } from '../../control-plane/src/app.ts'
import { readConfig } from '../../control-plane/src/config.ts'
import { openDatabase, type Db } from '../../control-plane/src/db/database.ts'
import { createPostgresQueue } from '../../control-plane/src/jobs/queue-backend.ts'
import type { Mail, MailTemplate } from '../../control-plane/src/mail/mail.ts'
import { smtpSender } from '../../control-plane/src/mail/smtp.ts'
import { outboxRepository } from '../../control-plane/src/mail/outbox.repository.ts'
import { createOutbox, type Outbox } from '../../control-plane/src/mail/outbox.ts'
import type { FetchDocument } from '../../control-plane/src/oauth/fetch-document.ts'
import type { ResolveText } from '../../control-plane/src/organizations/auto-admit.ts'
import { createManagedDaemonTable } from '../../embedded/managed-daemon-table.ts'
import { checkLog } from './check-log.ts'
import { refuseSecondConnections } from './held-connections.ts'
import type { MailServer } from './mail-server.ts'
import { databaseMailbox, databaseMailedBy } from './mailbox.ts'
import { createPerson, sendRaw, type Answer, type Person } from './person.ts'
import { freePort } from './free-port.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'

export type TestControlPlane = ControlPlane & {
  origin: string
  db: Db
  /** The resource store as an operator uses it. */
  store: ManagedDaemonStore
  outbox: Outbox
  /** Every line that was logged. */
  logged(): string
  /** A browser-like client with a cookie jar of its own. */
  person(): Person
  /** One request exactly as given, without cookies or the headers of a browser. */
  raw(
    method: string,
    path: string,
    call: { headers?: Record<string, string>; body?: string | undefined },
  ): Promise<Answer>
  /** Waits for the newest mail to an address, of one template if it is named, and returns it. */
  mailTo(address: string, template?: MailTemplate): Promise<Mail>
  /** Does something, and waits for the mail that it causes. */
  mailedBy: ReturnType<typeof databaseMailedBy>
  /** Marks the address of a person as unconfirmed, like that of a provider account whose claim is not trusted. */
  unconfirm(person: Pick<Person, 'id'>): Promise<void>
  stop(): Promise<void>
}

export type Options = {
  environment?: Record<string, string>
  clock?: Clock
  resolveText?: ResolveText
  /** Reads metadata documents of agents; no test reaches the public web. */
  fetchDocument?: FetchDocument
  /** Also runs the job worker; without it nothing happens in the background. */
  working?: boolean
  /** Wraps the store of the control plane, for example to make it fail. */
  wrapStore?: (store: ManagedDaemonStore) => ManagedDaemonStore
  /** A database that outlives the control plane. */
  database?: TestDatabase
  /** Where mails are sent, instead of into the outbox. */
  mailServer?: MailServer
  /** The lowest level of the lines that `logged` keeps; all by default. */
  logLevel?: 'debug' | 'error'
  /** The port of an earlier one, so that browsers return to the same origin. */
  port?: number
}

/** A real control plane on a real socket with its own database; managed daemons are resources in a table. */
export async function startControlPlane(options: Options = {}): Promise<TestControlPlane> {
  const { clock = systemClock, working = false, resolveText = async () => [], wrapStore = (store) => store } = options
  const lines: string[] = []
  const log: Log = createLog({
    service: 'test',
    level: options.logLevel ?? 'debug',
    destination: { write: (line) => void lines.push(line) },
  })
  const database = options.database ?? (await createTestDatabase())
  const port = options.port ?? (await freePort())
  const origin = `http://localhost:${port}`
  const config = readConfig({
    BASE_URL: origin,
    DATABASE_URL: database.appUrl.reveal(),
    AUTH_SECRET: 'a-secret-of-the-tests-that-is-long-enough',
    ENVIRONMENT: 'test',
    DAEMON_IMAGE_REPOSITORY: 'local/svcd',
    DEFAULT_DAEMON_IMAGE: `local/svcd@sha256:${'0'.repeat(64)}`,
    ...options.environment,
  })
  const { db, pool, close } = openDatabase({ url: database.url, log })
  const outbox = createOutbox({ outbox: outboxRepository(db, clock), clock, log })
  const { mailServer } = options
  const smtp = mailServer && smtpSender({ url: new Secret(mailServer.url), from: 'svc@example.org', log })
  const store = await createManagedDaemonTable({ pool, clock: systemClock, log })
  // The control plane connects with the rights of its role, the tests as the owner.
  const app = openDatabase({ url: database.appUrl, log })
  const controlPlane = await createControlPlane({
    config,
    db: app.db,
    clock,
    log,
    store: config.managedDaemons.store === 'none' ? undefined : wrapStore(store),
    mail: smtp ?? outbox,
    outbox,
    queue: createPostgresQueue(database.appUrl),
    resolveText,
    fetchDocument: options.fetchDocument ?? (async () => Promise.reject(new Error('no public web in tests'))),
  })
  if (working) await controlPlane.start()
  const server = await open(controlPlane, port)
  const mailTo = databaseMailbox(db)

  return {
    ...controlPlane,
    origin,
    db,
    store,
    outbox,
    logged: () => lines.join(''),
    person: () => createPerson(origin, mailServer?.mailbox ?? mailTo),
    raw: (method, path, call) => sendRaw(origin, { method, path, ...call }),
    mailTo,
    mailedBy: databaseMailedBy(db),
    unconfirm: async ({ id }) => {
      await db.updateTable('user').set({ emailVerified: false }).where('id', '=', id).execute()
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await controlPlane.close()
      await app.close()
      await close()
      if (options.database === undefined) await database.drop()
      checkLog('the log', lines.join(''))
      refuseSecondConnections()
    },
  }
}

async function open({ api, gateway }: ControlPlane, port: number): Promise<Server> {
  // As the product's listener: with Node's 5 s a busy machine ends connections that a client is about to use.
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) =>
    gateway.ownsHost(request.headers.host ?? '') ? gateway.request(request, response) : api.routing(request, response),
  ).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
