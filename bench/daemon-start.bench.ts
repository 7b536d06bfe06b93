// From spawn to the first answered health request: svcd on a small vault against a bare node:http server.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alternate, printTable, spread } from './rounds.ts'

const ROUNDS = 7
const bundle = fileURLToPath(new URL('../daemon/dist/bundle/svcd.mjs', import.meta.url))
const source = fileURLToPath(new URL('../daemon/bin/svcd.js', import.meta.url))
const bare = `require('node:http').createServer((_, res) => res.end('{}')).listen(Number(process.env.SVC_PORT), '127.0.0.1')`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilHealthy(port: number): Promise<void> {
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${port}/api/health`).then(
      (answer) => answer.arrayBuffer().then(() => answer.ok),
      () => false,
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

const memory: Record<string, number[]> = {}

/** Starts a process, measures until it answers, and stops it. Answers milliseconds. */
async function start(name: string, args: string[]): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const port = await freePort()
  const since = performance.now()
  const env = { PATH: process.env.PATH, SVC_HOME: home, SVC_PORT: String(port), SVC_LOG_LEVEL: 'error' }
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  await untilHealthy(port)
  const took = performance.now() - since

  ;(memory[name] ??= []).push(await residentMegabytes(child))
  const over = once(child, 'exit')
  child.kill('SIGTERM')
  await over
  await rm(home, { recursive: true, force: true })
  return took
}

const times = await alternate(
  {
    'bare node:http': () => start('bare node:http', ['-e', bare]),
    'svcd, bundle': () => start('svcd, bundle', [bundle]),
    'svcd, sources': () => start('svcd, sources', [source]),
  },
  ROUNDS,
)
const baseline = spread(times['bare node:http']).median
const rows = Object.entries(times).map(([name, values]) => {
  const { median, min, max } = spread(values)
  const resident = spread(memory[name] ?? []).median.toFixed(0)
  return [
    name,
    `${(median / baseline).toFixed(2)}×`,
    `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`,
    resident,
  ]
})
printTable(['process', 'start, of bare', 'ms to first answer', 'resident MB'], rows)
