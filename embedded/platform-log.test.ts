import { mkdtemp, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeFolder } from '../test/support/remove-folder.ts'
import { dataLayout } from './installation/places.ts'
import { listInstallation } from './installation/reset-installation.ts'
import { createPlatformLog, type Terminal } from './platform-log.ts'

/** What a terminal of this kind shows of two lines, and what the file contains. */
async function logged(kind: Omit<Terminal, 'write'>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-log-'))
  onTestFinished(() => removeFolder(dataDir))
  let seen = ''
  const terminal = { ...kind, write: (text: string) => (seen += text) }
  const { log, close } = createPlatformLog({ dataDir, terminalLevel: 'warn', terminal })
  log.info('a daemon connected')
  log.warn({ err: new Error('the lock could not be renewed') }, 'the job queue failed')
  close()
  return { seen, file: await readFile(join(dataDir, 'platform.log'), 'utf8') }
}

describe('the log of the embedded platform', () => {
  it('speaks to a person on a terminal, of what needs attention', async () => {
    const { seen } = await logged({ isTTY: true, hasColors: () => false })
    expect(seen).toMatch(/^\d\d:\d\d:\d\d {2}the job queue failed {2}\(the lock could not be renewed\)\n$/)
  })

  it('colours what needs attention where colours are shown', async () => {
    expect((await logged({ isTTY: true, hasColors: () => true })).seen).toContain('\u001B[33mthe job queue failed')
  })

  it('does not grow without a limit', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-log-'))
    onTestFinished(() => removeFolder(dataDir))
    const file = join(dataDir, 'platform.log')
    await writeFile(file, '')
    await truncate(file, 21 * 1024 * 1024)
    const { log, close } = createPlatformLog({ dataDir, terminalLevel: 'silent', terminal: { write: () => {} } })
    log.info('a daemon connected')
    close()
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ msg: 'a daemon connected' })
    expect((await stat(join(dataDir, 'platform.1.log'))).size).toBe(21 * 1024 * 1024)
    expect(await listInstallation(dataLayout(dataDir))).toEqual([
      join(dataDir, 'platform.log'),
      join(dataDir, 'platform.1.log'),
    ])
  })

  it('is JSON where a program reads it, and in the file, which has all lines', async () => {
    const { seen, file } = await logged({})
    expect(JSON.parse(seen)).toMatchObject({ level: 'warn', msg: 'the job queue failed' })
    const lines = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string })
    expect(lines.map(({ msg }) => msg)).toEqual(['a daemon connected', 'the job queue failed'])
  })
})
