import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from './support/free-port.ts'
import { runProgram } from './support/program.ts'
import { until } from './support/until.ts'
import { removeFolder } from './support/remove-folder.ts'

const SUPPORT = new URL('support/program.ts', import.meta.url).href
// A server that takes no notice of being asked to end, as one that hangs in its end.
const DEAF_SERVER = `
import { createServer } from 'node:http'
process.on('SIGTERM', () => {})
const server = createServer((_request, response) => response.end(String(process.pid)))
server.listen(Number(process.env.PORT), '127.0.0.1')
`
const SERVER = DEAF_SERVER.replace('() => {}', '() => process.exit(0)')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-programs-'))
})
afterEach(async () => {
  await removeFolder(folder)
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A process that starts a program as tests do, as the tests of a cluster start the operator. */
async function startParent(program: string) {
  const port = await freePort()
  const ready = `http://127.0.0.1:${port}/`
  const [file, parentFile] = [join(folder, 'server.mjs'), join(folder, 'parent.mjs')]
  await writeFile(file, program)
  const options = { file, environment: { PORT: String(port) }, ready }
  await writeFile(
    parentFile,
    `import { startProgram } from ${JSON.stringify(SUPPORT)}
const { stop } = await startProgram(${JSON.stringify(options)})
process.once('SIGUSR2', () => stop().then(() => process.exit(0)))
console.log('started')`,
  )
  const parent = spawn(process.execPath, [parentFile], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([
    once(parent.stdout, 'data'),
    once(parent, 'exit').then(([code]) => Promise.reject(new Error(`the parent ended with ${code} before it started`))),
  ])
  return { parent, pid: Number(await (await fetch(ready)).text()) }
}

test.each<[string, NodeJS.Signals, string]>([
  ['is killed', 'SIGKILL', SERVER],
  ['is told to end', 'SIGTERM', SERVER],
  ['is interrupted', 'SIGINT', SERVER],
  ['is killed, one that does not want to', 'SIGKILL', DEAF_SERVER],
])(
  'a program of a test ends when the process that started it %s',
  { timeout: 120_000 },
  async (_how, signal, program) => {
    const { parent, pid } = await startParent(program)
    expect(isAlive(pid)).toBe(true)
    parent.kill(signal)
    await once(parent, 'exit')
    await until('the program has ended', () => !isAlive(pid))
  },
)

test('a program of a test ends when the test stops it', async () => {
  const { parent, pid } = await startParent(SERVER)
  parent.kill('SIGUSR2')
  const [code] = (await once(parent, 'exit')) as [number | null]
  expect(code).toBe(0)
  expect(isAlive(pid)).toBe(false)
})

test('a program of a test that has nothing left to do ends by itself', async () => {
  const file = join(folder, 'short.mjs')
  await writeFile(file, 'console.log(process.pid)')
  await expect(runProgram({ file, environment: {} })).resolves.toBeUndefined()
})
