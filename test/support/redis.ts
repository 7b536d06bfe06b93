import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { refuseReadableSecrets } from './readable-secrets.ts'
import { removeFolder } from './remove-folder.ts'

/** A real Redis of one test, persistent (AOF) as in production. */
export type TestRedis = {
  url: string
  /** Ends the server as a crash does (SIGKILL). */
  kill(): Promise<void>
  /** Makes it respond to nothing (SIGSTOP), while its connections stay, until the returned function is called. */
  pause(): () => void
  /** Starts it again on the same port and data. */
  start(): Promise<void>
  /** Ends the server. Fails if a key or a password was ever written to it in plain text, for example by a job. */
  stop(): Promise<void>
  /** Number of fields of a hash; 0 when there is none. */
  fieldsOf(key: string): Promise<number>
}

/** Starts Redis or Valkey: the binary of SVC_TEST_REDIS (set by `npm test`), otherwise the one on the PATH. */
export async function startRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const binary = process.env.SVC_TEST_REDIS ?? 'redis-server'
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', '']
  const launch = () => spawn(binary, [...args, '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' })
  let server = launch()

  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const over = once(server, 'exit')
    server.kill(signal)
    await over
  }
  const answers = async () => {
    const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 })
    client.on('error', () => {})
    await client.ping()
    client.disconnect()
  }
  await answers()

  return {
    url,
    fieldsOf: async (key) => {
      const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 })
      client.on('error', () => {})
      const count = await client.hlen(key)
      client.disconnect()
      return count
    },
    kill: () => end('SIGKILL'),
    pause: () => {
      server.kill('SIGSTOP')
      return () => void server.kill('SIGCONT')
    },
    start: async () => {
      server = launch()
      await answers()
    },
    stop: async () => {
      await end('SIGTERM')
      await refuseWrittenSecrets(folder).finally(() => removeFolder(folder))
    },
  }
}

// The log of an append-only server contains every command as it was sent, including the commands of deleted jobs.
async function refuseWrittenSecrets(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    refuseReadableSecrets('Redis', await readFile(join(entry.parentPath, entry.name), 'latin1'))
  }
}
