// From spawn to the first successful health request: svcd with a small vault against a bare node:http server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BARE, startDaemon } from './daemon/running-daemon.ts'
import { alternate, printTable, spread } from './rounds.ts'

const ROUNDS = 7
const bundle = fileURLToPath(new URL('../daemon/dist/bundle/svcd.mjs', import.meta.url))
const source = fileURLToPath(new URL('../daemon/bin/svcd.js', import.meta.url))

const memory: Record<string, number[]> = {}

/** Starts a process, waits until it responds, and stops it. Returns milliseconds. */
async function start(name: string, args: string[]): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const daemon = await startDaemon(args, home)
  ;(memory[name] ??= []).push(await daemon.residentMegabytes())
  await daemon.stop()
  await rm(home, { recursive: true, force: true })
  return daemon.healthyMs
}

const times = await alternate(
  {
    'bare node:http': () => start('bare node:http', BARE),
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
