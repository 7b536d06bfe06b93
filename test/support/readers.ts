import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Person } from './person.ts'

type Reading = { reader: Person; path: string; headers?: Record<string, string> }

/** The results of the readers so far. */
export type Readers = {
  done(): number
  failed: string[]
  stop(): Promise<{ done: number; failed: string[] }>
}

/** Reads in a loop, each time on a new connection, until it is stopped; records failures. Nothing is retried. */
export function startReaders(readings: Reading[], pauseMs = 20): Readers {
  const stopped = new AbortController()
  const failed: string[] = []
  let done = 0
  const read = async ({ reader, path, headers }: Reading) => {
    while (!stopped.signal.aborted) {
      const answer = await reader
        .get(path, { headers: { connection: 'close', ...headers } })
        .catch((error: Error) => ({ status: 0, text: error.message }))
      done += 1
      if (answer.status !== 200) failed.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
      await systemClock.sleep(pauseMs, stopped.signal).catch(() => {})
    }
  }
  const running = readings.map(read)
  return {
    done: () => done,
    failed,
    stop: async () => {
      stopped.abort()
      await Promise.all(running)
      return { done, failed }
    },
  }
}
