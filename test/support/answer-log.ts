// Setup of every file of the cluster tests: logs all HTTP responses that the file receives.
import { createWriteStream, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { answers, type Answered } from './person.ts'

const folder = fileURLToPath(new URL('../../.cache/answers', import.meta.url))
let end: () => Promise<void>

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  const name = basename(expect.getState().testPath ?? 'unnamed', '.test.ts')
  const log = createWriteStream(join(folder, `${name}.log`))
  const write = (message: unknown) => {
    const { method, url, status, bytes, tookMs, failure = '' } = message as Answered
    log.write(`${new Date().toISOString()} ${status} ${method} ${url} ${tookMs.toFixed(0)} ms ${bytes} B ${failure}\n`)
  }
  answers.subscribe(write)
  end = () => {
    answers.unsubscribe(write)
    return new Promise((resolve) => log.end(resolve))
  }
})
afterAll(() => end())
