import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DeletedNotes, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome } from '../support/svcd.ts'
import { until } from '../support/until.ts'

const PROGRAM = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
const NOTES = 40

let home: string
let child: ChildProcess
let url = ''
beforeEach(async () => {
  home = await newHome()
  await mkdir(join(home, 'vaults/v/closed'), { recursive: true })
  for (let note = 0; note < NOTES; note++) await writeFile(at(`closed/${note}.md`), `# Note ${note} of a folder\n`)
})
afterEach(async () => {
  await stop('SIGKILL')
  await chmod(at('closed'), 0o700)
  await removeFolder(home)
})

const at = (path: string) => join(home, 'vaults/v', path)
const api = (path: string) => call({ url }, `/api/vaults/v${path}`)
const notesKnown = async () => VaultInfo.parse((await api('')).body).vault.notes

/** Starts a daemon without root's privileges, even if root runs the tests: root could read everything. */
async function start(): Promise<void> {
  let output = ''
  const user = ['--user', '--map-user=12345', '--', process.execPath, PROGRAM]
  child = spawn('unshare', user, {
    env: { PATH: process.env.PATH, SVC_HOME: home, SVC_PORT: '0', SVC_SEARCH_DEADLINE_MS: '60000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text))
  await until('it listens', () => /listening at http/.test(output))
  url = /listening at (http:[^\s,]+),/.exec(output)![1]!
  await until('every vault is read', async () => (await call({ url }, '/api/ready')).status === 200)
}

async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
}

/** Writes a note from outside and waits until the daemon knows it: then the daemon has scanned the vault again. */
async function lookedAgain(name: string): Promise<void> {
  await writeFile(at(name), `# ${name}\n`)
  await until(`${name} is known`, async () => (await api('/tree')).text.includes(name))
}

test('a folder that cannot be read any more deletes nothing, over a restart too', async () => {
  verifies('watch.nothing-lost')
  await start()
  expect(await notesKnown()).toBe(NOTES)
  const revisions = async () => HistoryAnswer.parse((await api('/history/closed/7.md')).body).revisions!
  await until('the notes are in the history', async () => (await revisions()).length === 1)

  await chmod(at('closed'), 0)
  await lookedAgain('one.md')
  expect((await api('/notes/closed/7.md')).body).toMatchObject({ error: { code: 'file_access_denied' } })
  expect(await notesKnown()).toBe(NOTES + 1)
  await stop()
  await start()
  await lookedAgain('two.md')
  expect(DeletedNotes.parse((await api('/deleted')).body).notes).toEqual([])

  await chmod(at('closed'), 0o700)
  expect((await api('/notes/closed/7.md')).body).toMatchObject({ note: { content: '# Note 7 of a folder\n' } })
  await until('the folder is looked at again', async () => (await notesKnown()) === NOTES + 2)
  expect((await api('/search?q=folder')).text).toContain('closed/')
  expect(await revisions()).toHaveLength(1)
})

test('a note that cannot be read is not recorded as deleted, over a restart too, and stays what it is', async () => {
  verifies('watch.nothing-lost')
  await writeFile(at('shut.md'), '# Shut\n\nheliotrope\n')
  await start()
  const revisions = async (path: string) => HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []
  await until('the note is in the history', async () => (await revisions('shut.md')).length === 1)

  await chmod(at('shut.md'), 0)
  await lookedAgain('one.md')
  expect((await api('/notes/shut.md')).body).toMatchObject({ error: { code: 'file_access_denied' } })
  expect((await api('/search?q=heliotrope')).text).toContain('shut.md')
  expect(await notesKnown()).toBe(NOTES + 2)
  await stop()
  await writeFile(at('meanwhile.md'), '# Meanwhile\n')
  await start()
  // The history commits what it missed in one piece: new and deleted notes.
  await until('the history has caught up', async () => (await revisions('meanwhile.md')).length === 1)
  expect(DeletedNotes.parse((await api('/deleted')).body).notes).toEqual([])

  await stop()
  await rm(join(home, 'daemon/index'), { recursive: true })
  await writeFile(at('later.md'), '# Later\n')
  await start()
  await until('the history has caught up again', async () => (await revisions('later.md')).length === 1)
  expect(DeletedNotes.parse((await api('/deleted')).body).notes).toEqual([])

  await chmod(at('shut.md'), 0o600)
  await until('the note is read again', async () => (await api('/search?q=heliotrope')).text.includes('shut.md'))
  expect((await api('/notes/shut.md')).body).toMatchObject({ note: { content: '# Shut\n\nheliotrope\n' } })
  expect(await revisions('shut.md')).toHaveLength(1)
})

test('the history takes what can be read beside a folder that nobody may open', async () => {
  verifies('watch.nothing-lost')
  await mkdir(at('few'))
  await writeFile(at('few/kept.md'), '# Kept\n')
  await start()
  const revisions = async (path: string) => HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []
  await until('the note is in the history', async () => (await revisions('few/kept.md')).length === 1)
  await stop()

  await chmod(at('few'), 0)
  await rm(join(home, 'daemon/index'), { recursive: true })
  await writeFile(at('meanwhile.md'), '# Meanwhile\n')
  await rm(at('closed/7.md'))
  await start()
  await until('the history has caught up', async () => (await revisions('meanwhile.md')).length === 1)
  expect(DeletedNotes.parse((await api('/deleted')).body).notes.map(({ path }) => path)).toEqual(['closed/7.md'])

  await chmod(at('few'), 0o700)
  await until('the folder is looked at again', async () => (await notesKnown()) === NOTES + 1)
  expect(await revisions('few/kept.md')).toHaveLength(1)
})
