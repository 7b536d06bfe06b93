import type { Redis } from 'ioredis'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import type { ManagedDaemonStore } from '@svc/shared/wire/managed-daemon-store.ts'
import type { Billing } from './billing/billing.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import type { QueueBackend } from './jobs/queue-backend.ts'
import type { MailSender } from './mail/mail.ts'
import type { Outbox } from './mail/outbox.ts'
import type { ResolveText } from './organizations/auto-admit.ts'
import type { FetchDocument } from './oauth/fetch-document.ts'

/** What a process or a test passes to a control plane. */
export type ControlPlaneDeps = {
  config: Config
  db: Db
  clock: Clock
  log: Log
  /** The store of ManagedDaemon resources; undefined: no hosted organizations. */
  store: ManagedDaemonStore | undefined
  mail: MailSender
  /** A payment provider; absent: payments and reservations are recorded, and no money moves. */
  billing?: Billing | undefined
  /** The outbox page, where mails are not sent. */
  outbox?: Outbox | undefined
  queue: QueueBackend
  /** Shared by replicas for limits; absent: this replica is the only one. */
  redis?: Redis | undefined
  resolveText?: ResolveText
  /** Reads the metadata documents of agents; absent: from the public web. */
  fetchDocument?: FetchDocument
}
