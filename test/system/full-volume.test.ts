import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { endProcess } from '../support/end-process.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const PROGRAM = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
const VOLUME = 16 * 1024 * 1024

const FULL = [
  { what: 'a killed git', file: 'history/notes.git/objects/pack/tmp_pack_x' },
  { what: 'a killed import', file: `tmp/import-${'0a'.repeat(8)}` },
]

test.each(FULL)('a daemon starts on a volume that $what has filled, and deletes', async ({ file }) => {
  verifies('notes.read-only-when-full', 'history.locks', 'archive.killed-import')
  const home = await newHome()
  const left = `${home}/daemon/${file}`
  const setUp = [
    `mount -t tmpfs -o size=${VOLUME} volume ${home}`,
    `mkdir -p ${home}/vaults/notes ${dirname(left)}`,
    `echo kept > ${home}/vaults/notes/a.md`,
    `{ cat /dev/zero > ${left} || true; } 2> /dev/null`,
    'exec "$@"',
  ].join(' && ')
  const namespace = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', setUp, 'sh']
  const child = spawn('unshare', [...namespace, process.execPath, PROGRAM], {
    env: programEnvironment({ SVC_HOME: home, SVC_PORT: '0', SVC_RESERVED_BYTES: String(VOLUME / 16) }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    void once(child, 'exit').then(() => (output += 'it has ended'))
    await until('it listens or has ended', () => /listening at http|it has ended/.test(output))
    const url = /listening at (http:[^\s,]+),/.exec(output)?.[1]
    expect(output).not.toContain('cannot start')
    const { status } = await call({ url: url! }, '/api/vaults/notes/notes/a.md', { method: 'DELETE' })
    expect(status).toBe(200)
  } finally {
    await endProcess(child, 'SIGKILL')
    await removeFolder(home)
  }
})
