import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { call, type Svcd } from './svcd.ts'
import { until } from './until.ts'

/** The memory of a daemon in bytes. */
export async function residentBytes(daemon: Svcd): Promise<number> {
  const status = await readFile(`/proc/${daemon.process.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
}

/** The memory of a daemon in bytes, once it has nothing left to do: it stays the same while requests are answered. */
export async function restingBytes(daemon: Svcd): Promise<number> {
  let last = await residentBytes(daemon)
  let equal = 0
  await until(
    'the memory stands still',
    async () => {
      expect((await call(daemon, '/api/health')).status).toBe(200)
      const now = await residentBytes(daemon)
      equal = Math.abs(now - last) < 2 * 1024 ** 2 ? equal + 1 : 0
      last = now
      return equal === 4
    },
    { everyMs: 250 },
  )
  return last
}
