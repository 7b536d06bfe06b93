import { randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { systemClock } from '@svc/shared/kit/clock.ts'

export type Failure = { atMs: number; startedMs: number; method: string; cause: string }

/** The results of a load so far; times are of the monotonic clock. */
export type Load = {
  done(): number
  failures: Failure[]
  /** Duration of the slowest successful request. */
  slowestMs(): number
  stop(): Promise<void>
}

type Options = {
  port: number
  people: { host: string; origin: string; cookie: string }[]
  workers: number
  pauseMs: number
}

const PATIENCE_MS = 30_000
/** The other side may close a connection that is idle for this long. Only a process that stood still pauses so long. */
const IDLE_MS = 1_000

/**
 * Reads a note in a loop, on one keep-alive connection per worker; every fourth request stores a file instead. As in
 * browsers, a request on a connection that the other side has just closed is repeated once, but only if the connection
 * was idle before. Nothing else is retried: a request in flight must not be cut.
 */
export function startLoad({ port, people, workers, pauseMs }: Options): Load {
  const stopped = new AbortController()
  const failures: Failure[] = []
  const run = randomUUID()
  let done = 0
  let slowest = 0

  const work = async (worker: number): Promise<void> => {
    let lastAnswerMs = 0
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { host, origin, cookie } = people[worker % people.length]!
    for (let i = 0; !stopped.signal.aborted; i += 1) {
      const startedMs = systemClock.monotonic()
      const method = i % 4 === 3 ? 'PUT' : 'GET'
      const path =
        method === 'GET'
          ? '/api/vaults/demo-vault/notes/README.md'
          : `/api/vaults/demo-vault/attachments/load-${run}-${worker}-${i}.bin`
      const order = { agent, port, method, path, headers: { host, origin, cookie } }
      const first = await send(order)
      const wasIdle = startedMs - lastAnswerMs > IDLE_MS
      const { problem: cause } = first.closedUnanswered && wasIdle ? await send(order) : first
      const atMs = systemClock.monotonic()
      lastAnswerMs = atMs
      if (cause === undefined) {
        done += 1
        slowest = Math.max(slowest, atMs - startedMs)
      } else failures.push({ atMs, startedMs, method, cause })
      await systemClock.sleep(pauseMs, stopped.signal).catch(() => {})
    }
    agent.destroy()
  }
  const all = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))

  return {
    done: () => done,
    failures,
    slowestMs: () => slowest,
    stop: async () => {
      stopped.abort()
      await all
    },
  }
}

type Send = { agent: Agent; port: number; method: string; path: string; headers: Record<string, string> }

/** `closedUnanswered`: the connection of an earlier request was closed before the first byte of this answer. */
type Outcome = { problem: string | undefined; closedUnanswered: boolean }

function send({ agent, port, method, path, headers }: Send): Promise<Outcome> {
  const body = method === 'PUT' ? Buffer.alloc(4_000, 7) : undefined
  const all = {
    ...headers,
    ...(body ? { 'content-type': 'application/octet-stream', 'content-length': String(body.length) } : {}),
  }
  return new Promise((resolve) => {
    const end = (problem?: string) => resolve({ problem, closedUnanswered: false })
    const asked = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: all, agent, setHost: false, timeout: PATIENCE_MS },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.once('error', (error) => end(`answer cut: ${error.message}`))
        answer.once('end', () => {
          const status = answer.statusCode ?? 0
          end(status >= 200 && status < 300 ? undefined : `${status} ${text.slice(0, 200)}`)
        })
      },
    )
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.once('error', (error: NodeJS.ErrnoException) => {
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      resolve({ problem: error.message, closedUnanswered: closed && asked.reusedSocket })
    })
    asked.end(body)
  })
}
