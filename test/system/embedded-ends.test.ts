import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { START_MS } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const foreground = new URL('../../setup/foreground.mjs', import.meta.url).href
const main = fileURLToPath(new URL('../../embedded/main.ts', import.meta.url))

// A package whose `npm start` does the same as ours after its setup.
let base: string
let port: number
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-ends-'))
  await chmod(base, 0o711)
  port = await freePort()
  const args = JSON.stringify([main, '--port', String(port), '--data', join(base, 'data')])
  await writeFile(
    join(base, 'front.mjs'),
    `import { runInForeground } from '${foreground}'\nprocess.exit(await runInForeground(${args}))\n`,
  )
  const start = `exec '${process.execPath}' '${join(base, 'front.mjs')}'`
  await writeFile(join(base, 'package.json'), JSON.stringify({ name: 'ends', scripts: { start } }))
})
afterAll(() => removeFolder(base))

/** Processes whose command line names the folder of this test, with that command line. */
async function processes(): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })),
  )
  return found.filter(({ pid, command }) => pid !== process.pid && command.includes(base))
}

async function killFront(): Promise<void> {
  const front = (await processes()).find(({ command }) => command.includes('front.mjs'))
  process.kill(front?.pid ?? Number.NaN, 'SIGKILL')
}

const npm = (command: string, args: string[]): ChildProcess =>
  spawn(command, args, {
    cwd: base,
    env: { PATH: process.env.PATH, HOME: base, npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const inShell = () => npm('npm', ['start'])
const inTerminal = () => npm('script', ['--quiet', '--flush', '--command', 'npm start', '/dev/null'])

test.each<[string, () => ChildProcess, (child: ChildProcess) => unknown]>([
  ['npm is killed', inShell, (child) => child.kill('SIGKILL')],
  ['what npm started is killed', inShell, killFront],
  ['the terminal is closed', inTerminal, (child) => child.kill('SIGKILL')],
])('nothing runs on when %s', async (_, start, end) => {
  verifies('embedded.ends-whole')
  const child = start()
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const runs = () => {
    if (child.exitCode !== null) throw new Error(said)
    return /Open\s+http/.test(said)
  }
  await until('the platform runs', runs, { withinMs: START_MS })
  expect((await processes()).length).toBeGreaterThan(2)

  await end(child)
  await until('everything has ended', async () => (await processes()).length === 0)
})
