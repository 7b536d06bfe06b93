import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importLocalImage } from '../../embedded/local-images.ts'

// A program that responds like a managed daemon, without being one. It logs the messages that it receives.
const PRELUDE = `
import { appendFileSync, readFileSync, existsSync } from 'node:fs'
const home = process.env.SVC_HOME
const note = (text) => appendFileSync(home + '/told', text + '\\n')
note('start ' + JSON.stringify(process.env))
process.on('disconnect', () => process.exit(0))
const file = (name) => readFileSync(process.env.SVC_RELAY_TOKEN_FILE + '/' + name, 'utf8')
const status = () => ({
  version: '1.0.0', ready: true, durableAsOf: new Date().toISOString(),
  relay: { connected: true, keyGeneration: Number(file('generation')) },
  storage: { usedBytes: 1000, freeBytes: 1000 },
})
const answer = (message) => {
  if (message.type === 'status') process.send({ type: 'status', id: message.id, status: status() })
  if (message.type === 'flush') { note('flush'); process.send({ type: 'flushed', id: message.id, durableAsOf: new Date().toISOString() }) }
  if (message.type === 'stop') { note('stop'); process.exit(0) }
}
`

/** Programs that behave well or badly, for tests of the runtime that supervises them. */
export const programs = {
  well: `${PRELUDE}\nprocess.on('message', answer)\nconsole.log('{"level":"info","msg":"up"}')`,
  // Takes so long to start that it would count as a good image, reports once that it is ready, and exits. After a timer
  // instead, it would live long enough to be good on a busy machine.
  crashing: `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)\n${PRELUDE}\nprocess.once('message', ({ id }) => process.send({ type: 'status', id, status: status() }, () => process.exit(3)))`,
  deaf: `${PRELUDE}\nprocess.on('SIGTERM', () => note('term'))\nprocess.on('message', (message) => message.type === 'stop' || answer(message))`,
  unflushable: `${PRELUDE}\nprocess.on('message', (message) => message.type === 'flush' ? process.send({ type: 'flush-failed', id: message.id }) : answer(message))`,
  // Answers as the text in its home tells, one letter for each query: `r` ready, `n` not ready, `-` no answer of use.
  spelled: `${PRELUDE}\nlet asked = 0\nprocess.on('message', (message) => {
  const letter = message.type === 'status' ? readFileSync(home + '/answers', 'utf8')[asked++] : undefined
  if (letter === '-') process.send({ type: 'flush-failed', id: message.id })
  else if (letter === 'n') process.send({ type: 'status', id: message.id, status: { ...status(), ready: false } })
  else answer(message)
})`,
  busyOnce: `${PRELUDE}\nif (!existsSync(home + '/second')) { appendFileSync(home + '/second', ''); process.exit(75) }\nprocess.on('message', answer)`,
} as const

/** Imports a program as an image and returns its reference. */
export async function importProgram(folder: string, imagesDir: string, source: string): Promise<string> {
  const bundleDir = await mkdtemp(join(folder, 'bundle-'))
  await writeFile(join(bundleDir, 'svcd.mjs'), source)
  return importLocalImage({ bundleDir, imagesDir })
}
