import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { DaemonProcess } from '../../operator/src/runtime/processes/daemon-process.ts'
import { quietLog } from '../support/kubernetes.ts'
import { programs } from '../support/local-programs.ts'
import { removeFolder } from '../support/remove-folder.ts'

test('a daemon that does not answer once or twice is still ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-silent-'))
  const secret = join(folder, 'secret')
  await mkdir(secret)
  await writeFile(join(secret, 'generation'), '1')
  const main = join(folder, 'svcd.mjs')
  await writeFile(main, programs.spelled)
  const answers = 'n-r--r---rn'
  await writeFile(join(folder, 'answers'), answers)
  const env = { SVC_HOME: folder, SVC_RELAY_TOKEN_FILE: secret }
  const limits = {
    answerMs: 60_000,
    flushMs: 60_000,
    restart: { baseMs: 20, capMs: 100 },
    steadyMs: 60_000,
    fatalEnds: 3,
  }
  const daemon = new DaemonProcess(
    { image: 'a', main, cwd: folder, env },
    { clock: systemClock, log: quietLog, random: Math.random, limits, changed: () => {} },
  )
  const ready: string[] = []
  for (const letter of answers) {
    const status = await daemon.status()
    expect(status?.ready).toBe({ r: true, n: false, '-': undefined }[letter])
    ready.push(daemon.readySince === undefined ? 'n' : 'r')
  }
  expect(ready.join('')).toBe('nnrrrrrrnrn')
  await daemon.stop()
  await removeFolder(folder)
})
