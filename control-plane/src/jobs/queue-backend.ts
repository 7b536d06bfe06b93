import {
  createPostgresBackend,
  Queue,
  Worker,
  type JobProgress,
  type JobsOptions,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  type Processor,
  type WorkerOptions,
} from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Secret } from '@svc/shared/kit/secret.ts'

export type JobData = { kind: string; subject: string }
export type JobProcessor = Processor<JobData, void, string>

const QUEUE = 'svc'
const finished = { removeOnComplete: true, removeOnFail: true }

/** Where jobs are stored: in Postgres without Redis, in Redis where several replicas share much work. */
export type QueueBackend = {
  openQueue(): Producer
  openWorker(processor: JobProcessor, options: Omit<WorkerOptions, 'connection'>): Consumer
  close(): Promise<void>
}
type PostgresJobQueue = Queue<
  JobData,
  void,
  string,
  JobData,
  void,
  string,
  PostgresQueueBackend,
  PostgresConnectionOptions
>
type Producer = {
  add(name: string, data: JobData, options: JobsOptions): Promise<unknown>
  close(): Promise<void>
} & Errors
type Errors = { on(event: 'error', listener: (error: Error) => void): unknown }
type Consumer = { close(force?: boolean): Promise<void>; waitUntilReady(): Promise<unknown> } & Errors

/** Brings the schema `bullmq` up to date; a migration, run by the owner of the database. */
export async function migratePostgresQueue(url: Secret): Promise<void> {
  const connection = { connectionString: url.reveal(), max: 1, migrate: true }
  const queue: PostgresJobQueue = new Queue(QUEUE, { connection }, createPostgresBackend)
  queue.on('error', () => {}) // the wait below rejects with it
  try {
    await queue.waitUntilReady()
  } finally {
    await queue.close()
  }
  // The first job of a queue creates its sequence, which the application's role may not do, so create it here.
  const client = new pg.Client({ connectionString: url.reveal() })
  client.on('error', () => {}) // the statement rejects with it
  await client.connect()
  try {
    await client.query('select bullmq.next_job_id($1)', [QUEUE])
  } finally {
    await client.end()
  }
}

/** Jobs in their own schema `bullmq` of the control plane's database. Migrations create and change it. */
export function createPostgresQueue(url: Secret): QueueBackend {
  const connection = { connectionString: url.reveal(), max: 4 }
  return {
    openQueue: () =>
      lazyProducer(
        (): PostgresJobQueue => new Queue(QUEUE, { connection, defaultJobOptions: finished }, createPostgresBackend),
      ),
    openWorker: (processor, options) =>
      new Worker<JobData, void, string, PostgresQueueBackend, JobProgress, PostgresConnectionOptions>(
        QUEUE,
        processor,
        { ...options, connection },
        createPostgresBackend,
      ),
    close: async () => {},
  }
}

/**
 * Opens the queue with its first job. A queue that was opened without its schema stays broken, so it is closed and
 * opened again with the next job: replicas may start before the migration.
 */
function lazyProducer(open: () => PostgresJobQueue): Producer {
  const listeners: ((error: Error) => void)[] = []
  let opened: PostgresJobQueue | undefined

  const openNow = async () => {
    opened ??= open()
    const queue = opened
    for (const listener of listeners) if (!queue.listeners('error').includes(listener)) queue.on('error', listener)
    try {
      await queue.waitUntilReady()
    } catch (error) {
      if (opened === queue) opened = undefined
      await queue.close()
      throw error
    }
    return queue
  }
  return {
    add: async (name, data, options) => (await openNow()).add(name, data, options),
    close: async () => opened?.close(),
    on: (_event, listener) => listeners.push(listener),
  }
}

/** Jobs in Redis or Valkey. While it is away a producer fails at once, because a request waits for it. */
export function createRedisQueue(url: Secret): QueueBackend {
  const producer = new Redis(url.reveal(), { enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  const consumer = new Redis(url.reveal(), { maxRetriesPerRequest: null })
  for (const client of [producer, consumer]) client.on('error', () => {}) // the queue reports it
  return {
    openQueue: () =>
      new Queue<JobData, void, string>(QUEUE, {
        connection: producer,
        prefix: 'svc',
        defaultJobOptions: finished,
      }),
    openWorker: (processor, options) =>
      new Worker<JobData, void, string>(QUEUE, processor, { ...options, connection: consumer, prefix: 'svc' }),
    close: async () => {
      producer.disconnect()
      consumer.disconnect()
    },
  }
}
