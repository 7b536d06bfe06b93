import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { processorMs, withEnded } from './processor-time.ts'
import { freePort } from '../../test/support/free-port.ts'

/** A started server process with the times from its start to its first responses, in milliseconds. */
export type RunningDaemon = {
  healthyMs: number
  /** Waits until the daemon is ready; returns the time since its start. */
  ready(): Promise<number>
  get(path: string): Promise<{ status: number; body: Buffer }>
  send(method: string, path: string, body: unknown): Promise<{ status: number; body: Buffer }>
  residentMegabytes(): Promise<number>
  /** Waits until the daemon has nothing left to do, such as writing first revisions; returns how long that took. */
  rests(): Promise<number>
  /** CPU time so far, including that of ended child processes. */
  processorMs(): number
  /** Stops it with SIGTERM; returns how long that took. */
  stop(): Promise<number>
}

/** A server of Node alone: the lower bound for any server on Node. */
export const BARE = [
  '-e',
  `require('node:http').createServer((_, response) => response.end('{}')).listen(Number(process.env.SVC_PORT), '127.0.0.1')`,
]

/** Starts a process and waits until it responds to a health request. */
export async function startDaemon(args: string[], home: string): Promise<RunningDaemon> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, SVC_HOME: home, SVC_PORT: String(port), SVC_LOG_LEVEL: 'error' }
  const since = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const call = (method: string, path: string, body?: string) =>
    new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const outgoing = request({ port, host: '127.0.0.1', method, path, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const until = async (path: string) => {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${args.at(-1)} ended with ${child.exitCode}`)
      const answered = await call('GET', path).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (answered) return performance.now() - since
      // Polling at intervals of less than a hundredth of the waited time would distort the measurement.
      const waited = performance.now() - since
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, waited / 100)))
    }
  }

  const healthyMs = await until('/api/health')
  return {
    healthyMs,
    ready: () => until('/api/ready'),
    get: (path) => call('GET', path),
    send: (method, path, body) => call(method, path, JSON.stringify(body)),
    rests: () => rests(child.pid!),
    residentMegabytes: () => residentMegabytes(child),
    processorMs: () => processorMs(child.pid!, withEnded),
    async stop() {
      agent.destroy()
      const from = performance.now()
      const over = once(child, 'exit')
      child.kill('SIGTERM')
      await over
      return performance.now() - from
    },
  }
}

const LOOK_MS = 3000
const RESTING_MS = 60
const RESTING_LOOKS = 3

async function rests(pid: number): Promise<number> {
  const since = performance.now()
  let used = processorMs(pid, withEnded)
  for (let quiet = 0; quiet < RESTING_LOOKS;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const now = processorMs(pid, withEnded)
    // The CPU time of a child process counts only after it has ended.
    const isAlone = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim() === ''
    quiet = isAlone && now - used < RESTING_MS ? quiet + 1 : 0
    used = now
  }
  return performance.now() - since - RESTING_LOOKS * LOOK_MS
}

async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}
