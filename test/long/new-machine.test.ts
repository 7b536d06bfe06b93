import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runsAsRoot } from '../../embedded/installation/places.ts'
import { verifies } from '../requirements.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

// A clone of the last commit, an empty home, and only the programs that the machine has without us.

const repository = fileURLToPath(new URL('../..', import.meta.url))
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const run = promisify(execFile)

// Without the right to change users, the other user is this one.
const users = runsAsRoot()
  ? [
      { who: 'root', id: {} },
      { who: 'a user without a name', id: { uid: 54_321, gid: 54_321 } },
    ]
  : [{ who: 'a user', id: {} }]

const long = 'a path of one hundred and twenty characters'

describe.each(users)('on a new machine as $who', ({ id }) => {
  let base: string
  let clone: string
  let env: Record<string, string>
  const running: ChildProcess[] = []

  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'svc-new-')))
    await chmod(base, 0o755)
    const parent = join(base, `with blanks and ${long}`)
    clone = join(parent, 'x'.repeat(Math.max(4, 119 - parent.length)))
    expect(clone.length).toBeGreaterThanOrEqual(120)
    const home = join(base, 'empty home')
    await mkdir(home)
    await run('git', ['clone', '--quiet', '--no-hardlinks', repository, clone])
    if (id.uid !== undefined) await run('chown', ['-R', `${id.uid}:${id.gid}`, base])
    env = { PATH, HOME: home }
  }, 120_000)
  afterAll(async () => {
    for (const { pid, exitCode, signalCode } of running)
      if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
    await removeFolder(base)
  })

  const say = async (...args: string[]) => (await run('npm', args, { cwd: clone, env, ...id })).stdout

  test('the first command installs what it needs, and every program of ours is linked', async () => {
    verifies('setup.own-commands', 'setup.new-machine')
    expect(await say('run', '--silent', 'svc-admin', '--', '--help')).toContain('svc-admin <command>')
    expect(await say('run', '--silent', 'svcd', '--', '--help')).toContain('Usage: svcd')
    for (const name of ['svcd', 'svc-admin'])
      expect(existsSync(join(clone, 'node_modules/.bin', name)), name).toBe(true)
  })

  test('npm start twice at once on two ports serves both, and Ctrl-C ends both', async () => {
    verifies('setup.new-machine')
    const started = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const port = await freePort()
        const args = ['start', '--', '--port', String(port), '--data', join(base, 'empty home', `data ${name}`)]
        const child = spawn('npm', args, { cwd: clone, env, ...id, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
        running.push(child)
        const end = once(child, 'exit')
        const said = { text: '' }
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => (said.text += text))
        return { child, port, said, end }
      }),
    )
    for (const { child, port, said } of started) {
      await until(
        'npm start prints where to open it',
        () => {
          if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${said.text}`)
          return /Open\s+http/.test(said.text)
        },
        { withinMs: 300_000 },
      )
      const [page] = await once(get({ port, host: '127.0.0.1', headers: { host: `localhost:${port}` } }), 'response')
      page.resume()
      expect(page.statusCode, said.text).toBe(200)
    }
    for (const { child } of started) process.kill(-(child.pid ?? 0), 'SIGINT')
    for (const { end, said } of started) {
      await end
      expect(said.text).not.toMatch(/ENOENT|EACCES|Error:/)
    }
  })
})
