import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const realGit = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()

/** A git whose commit-graph command starts a process that keeps its output open and does not end by itself. */
const gitThatStays = (started: string) => `#!/bin/sh
if [ "$1" = commit-graph ]; then
  sleep 86400 &
  echo $! > '${started}.new' && mv '${started}.new' '${started}'
  wait
fi
exec ${realGit} "$@"
`

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a stop ends git with everything that git has started', async () => {
  verifies('daemon.stops-at-once')
  const home = await newHome()
  const programs = join(home, 'programs')
  const started = join(home, 'started')
  await mkdir(programs)
  await writeFile(join(programs, 'git'), gitThatStays(started), { mode: 0o755 })
  const daemon = await startSvcd({ home, env: { PATH: `${programs}:${process.env.PATH}` } })
  try {
    await until('git has started a process', async () => (await readFile(started, 'utf8').catch(() => '')) !== '')
    const pid = Number(await readFile(started, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    expect((await call(daemon, '/api/health')).status).toBe(200)

    expect(await daemon.stop()).toBe(0)
    await until('what git has started is gone', async () => !isAlive(pid))
    expect(daemon.output()).not.toMatch(/"level":"(warn|error)"/)
  } finally {
    await daemon.remove()
  }
})
