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
import type { Secret } from '@svc/shared/kit/secret.ts'

export type JobData = { kind: string; subject: string }
export type JobProcessor = Processor<JobData, void, string>

const QUEUE = 'svc'
const finished = { removeOnComplete: true, removeOnFail: true }

/** Where jobs lie: Postgres where there is no Redis, Redis where several replicas share much work. */
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

/** Jobs in a schema of their own, `bullmq`, of the control plane's database. */
export function postgresQueue(url: Secret): QueueBackend {
  const connection = { connectionString: url.reveal(), max: 4, migrate: true }
  return {
    openQueue: (): PostgresJobQueue =>
      new Queue(QUEUE, { connection, defaultJobOptions: finished }, createPostgresBackend),
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

/** Jobs in Redis or Valkey. A producer fails at once while it is away, since a request waits for it. */
export function redisQueue(url: Secret): QueueBackend {
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
