import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DeletedNotes, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { NoteWritten, SearchResult, VaultInfo } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { backupIdAt, createBackupStore } from '../support/backup-store.ts'
import { endProcess } from '../support/end-process.ts'
import { call, newHome } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../daemon/bin/svcd.js', import.meta.url))
// So many that the index is kept over a restart.
const NOTES = 120

let home: string
let namespace: ChildProcess
let daemon: ChildProcess | undefined
let url = ''
/** A vault on one disk with one folder on a second disk, in a mount namespace that ends with the test. */
beforeEach(async () => {
  home = await newHome()
  await mkdir(at('disk'), { recursive: true })
  await writeFile(at('root.md'), '# Root\n\nSee [[1]].\n')
  namespace = spawn('unshare', ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', 'echo made; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(namespace.stdout!, 'data')
  await inside('mount', '-t', 'tmpfs', 'disk', at('disk'))
  await inside('mkdir', at('disk/deep'))
  const write = `printf '# Note %s\\n\\nheliotrope\\n' $note >`
  const all = `for note in $(seq 0 ${NOTES - 1}); do ${write}$([ $((note % 2)) = 0 ] && echo deep/)$note.md; done`
  await inside('sh', '-c', `cd ${at('disk')} && ${all}`)
  await inside('sh', '-c', `echo attached >${at('disk/picture.png')}`)
})
afterEach(async () => {
  if (daemon) await endProcess(daemon, 'SIGKILL')
  await endProcess(namespace, 'SIGKILL')
  // A git process started by the killed daemon may still write for a moment.
  await removeFolder(home)
})

const at = (path: string) => join(home, 'vaults/v', path)
const api = (path: string, options?: Parameters<typeof call>[2]) => call({ url }, `/api/vaults/v${path}`, options)
const info = async () => VaultInfo.parse((await api('')).body).vault
const tree = async () => (await api('/tree')).text
const search = async () => SearchResult.parse((await api('/search?q=heliotrope&limit=200')).body)
const revisions = async (path: string) => HistoryAnswer.parse((await api(`/history/${path}`)).body).revisions ?? []
const nothingDeleted = async () => expect(DeletedNotes.parse((await api('/deleted')).body).notes).toEqual([])
const errorOf = async (answer: ReturnType<typeof api>) =>
  ((await answer).body as { error?: { code: string } }).error?.code

function enter(command: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const target = ['--preserve-credentials', '--user', '--mount', '--target', String(namespace.pid)]
  return spawn('nsenter', [...target, '--', ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function runInside(command: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = enter(command, { PATH: process.env.PATH, SVC_HOME: home })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

async function inside(...command: string[]): Promise<void> {
  const { code, output } = await runInside(command)
  if (code !== 0) throw new Error(`${command.join(' ')}: ${output}`)
}

/** Retries, because the daemon may have a file on the disk open for a moment. */
const umount = (path: string) =>
  until(`${path} is unmounted`, async () => (await runInside(['umount', path])).code === 0)

/** Takes the disk away and keeps its content. */
async function unmount(): Promise<void> {
  await mkdir(join(home, 'elsewhere'), { recursive: true })
  await inside('mount', '--bind', at('disk'), join(home, 'elsewhere'))
  await umount(at('disk'))
}

async function mountAgain(): Promise<void> {
  await inside('mount', '--bind', join(home, 'elsewhere'), at('disk'))
  await umount(join(home, 'elsewhere'))
}

async function start(): Promise<void> {
  let output = ''
  const env = { PATH: process.env.PATH, SVC_HOME: home, SVC_PORT: '0', SVC_SEARCH_DEADLINE_MS: '60000' }
  daemon = enter([process.execPath, PROGRAM], env)
  for (const stream of [daemon.stdout!, daemon.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  await until('it listens', () => /listening at http/.test(output))
  url = /listening at (http:[^\s,]+),/.exec(output)![1]!
  await until('every vault is read', async () => (await call({ url }, '/api/ready')).status === 200)
}

const stop = () => endProcess(daemon!, 'SIGTERM')
const isAway = async () => (await info()).unreachable?.includes('disk') ?? false

test('a disk that is unmounted inside a vault deletes nothing, over a restart too, and is taken up again', async () => {
  verifies('watch.nothing-lost')
  await start()
  expect(await info()).toMatchObject({ notes: NOTES + 1, attachments: 1 })
  await until('its notes are in the history', async () => (await revisions('disk/deep/0.md')).length === 1)

  await unmount()
  await until('the vault says so', isAway)
  for (const restarts of [false, true]) {
    if (restarts) {
      await stop()
      await start()
    }
    // When the daemon knows this note, it has scanned the vault again.
    const name = restarts ? 'after.md' : 'before.md'
    // It comes whole: the daemon could see a file that is written in place while it is empty, as one more revision.
    await writeFile(join(home, name), `# ${name}\n`)
    await rename(join(home, name), at(name))
    await until(`${name} is known`, async () => (await tree()).includes(name))
    await until(`${name} is in the history`, async () => (await revisions(name)).length === 1)
    expect(await info()).toMatchObject({ unreachable: ['disk'], notes: NOTES + (restarts ? 3 : 2), attachments: 1 })
    await until('a link to it is known', async () => (await api('/links/root.md')).text.includes('disk/1.md'))
    await nothingDeleted()
    expect(await errorOf(api('/notes/disk/1.md'))).toBe('disk_away')
    expect(await errorOf(api('/attachments/disk/picture.png'))).toBe('disk_away')
    expect(await errorOf(api('/export'))).toBe('disk_away')
    await expect(createBackupStore().backup({ url }, backupIdAt(1))).rejects.toThrow('disk_away')
    for (const path of ['disk', 'disk/deep'])
      expect(await errorOf(api(`/folders/${path}`, { method: 'DELETE' })), path).toBe('disk_away')
    const put = { method: 'PUT', headers: { 'if-none-match': '*' }, json: { content: 'new' } }
    for (const path of ['disk/1.md', 'disk/new.md', 'disk/more/new.md'])
      expect(await errorOf(api(`/notes/${path}`, put)), path).toBe('disk_away')
    expect(await readdir(at('disk'))).toEqual([])
  }
  const doctor = await runInside([process.execPath, PROGRAM, 'doctor'])
  expect(doctor.output).toContain('PROBLEM disk is a disk that is not mounted')
  expect(doctor.output).not.toContain('not on disk')
  expect(doctor.output).toContain('history: equals the disk')
  expect(doctor.code).toBe(1)

  await mountAgain()
  await until('it is back', async () => !(await isAway()))
  expect((await api('/notes/disk/1.md')).text).toContain('heliotrope')
  await inside('sh', '-c', `cd ${at('disk/deep')} && echo changed >.new && mv .new 0.md`)
  await until('a change on it is seen', async () => (await revisions('disk/deep/0.md')).length === 2)
  expect(await revisions('disk/1.md')).toHaveLength(1)
  await nothingDeleted()
})

test('a disk that is away when a daemon without an index starts deletes nothing in the history', async () => {
  verifies('watch.nothing-lost')
  await start()
  await until('its notes are in the history', async () => (await revisions('disk/deep/0.md')).length === 1)
  await stop()
  await unmount()
  await rm(join(home, 'daemon/index'), { recursive: true })
  await writeFile(at('meanwhile.md'), '# Meanwhile\n')
  // With so many other notes, the notes of the disk would be few enough to count as deleted by somebody, if the daemon
  // forgot the disk.
  for (let note = 0; note < NOTES * 3; note++) await writeFile(at(`more-${note}.md`), `# More ${note}\n`)
  await start()
  await until('the history has caught up', async () => (await revisions('meanwhile.md')).length === 1)
  expect(await info()).toMatchObject({ unreachable: ['disk'] })
  expect(await search()).toMatchObject({ hits: [], partial: true })
  await nothingDeleted()

  await mountAgain()
  await until('its notes are known again', async () => (await info()).notes === NOTES * 4 + 2)
  let found = await search()
  await until('all of them are found', async () => !(found = await search()).partial)
  expect(found.total).toBe(NOTES)
  expect(await revisions('disk/deep/0.md')).toHaveLength(1)
  await nothingDeleted()
})

test('files that are deleted on a mounted disk are gone, and so is a folder that is removed after its disk', async () => {
  verifies('watch.nothing-lost')
  await start()
  await until('its notes are in the history', async () => (await revisions('disk/1.md')).length === 1)
  await inside('rm', at('disk/1.md'))
  await until('it is gone', async () => !(await tree()).includes('disk/1.md'))

  await unmount()
  await until('the vault says so', isAway)
  await inside('rmdir', at('disk'))
  await until('all on it are gone', async () => (await info()).notes === 1)
  expect((await info()).unreachable).toBeUndefined()
  await until('the history has them', async () => (await revisions('disk/deep/0.md')).length === 2)
})

test('files that are copied into the folder take the place of the disk', async () => {
  verifies('watch.nothing-lost')
  await start()
  await unmount()
  await until('the vault says so', isAway)
  await writeFile(at('disk/1.md'), '# A copy\n')
  await until('it is read', async () => (await api('/notes/disk/1.md')).text.includes('A copy'))
  await until('the rest is gone', async () => (await info()).notes === 2)
  const written = await api('/notes/disk/new.md', {
    method: 'PUT',
    headers: { 'if-none-match': '*' },
    json: { content: 'new' },
  })
  expect(NoteWritten.parse(written.body).note.path).toBe('disk/new.md')
  expect(await readFile(at('disk/new.md'), 'utf8')).toBe('new')
})

test('what lies on another disk than its vault can be read, and a change of it is refused', async () => {
  verifies('notes.volume-failures')
  await start()
  const note = (await api('/notes/disk/1.md')).body as { note: { baseline: string } }
  const put = { method: 'PUT', headers: { 'if-match': `"${note.note.baseline}"` }, json: { content: 'new' } }
  expect(await errorOf(api('/notes/disk/1.md', put))).toBe('other_disk')
  expect(await errorOf(api('/notes/disk/1.md', { method: 'DELETE' }))).toBe('other_disk')
  expect(await errorOf(api('/folders/disk', { method: 'DELETE' }))).toBe('other_disk')
  expect((await api('/notes/disk/1.md')).text).toContain('heliotrope')
  expect(await readdir(at('.svc/tmp'))).toEqual([])
})
