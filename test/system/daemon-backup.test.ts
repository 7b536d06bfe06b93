import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, readdir, rm, stat, utimes, writeFile, appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { isBackedUp } from '../../daemon/src/backups/backed-up-path.ts'
import { createChunkSeal } from '../../daemon/src/backups/sealed-chunk.ts'
import { encodeManifest, type FileEntry } from '../../daemon/src/backups/backup-manifest.ts'
import { verifies } from '../requirements.ts'
import { backupIdAt, createBackupStore, dataKey, type KeptBackup } from '../support/backup-store.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { copyVault, fingerprints } from '../support/vault.ts'

const started: Svcd[] = []
afterEach(async () => {
  for (const daemon of started.splice(0)) await daemon.remove()
})

async function start(home?: string): Promise<Svcd> {
  const daemon = await startSvcd(home === undefined ? {} : { home })
  started.push(daemon)
  return daemon
}

/** A daemon that serves a copy of the real vault, with history and audit of a few changes. */
async function usedDaemon(): Promise<Svcd> {
  const home = await newHome()
  await mkdir(join(home, 'vaults'), { recursive: true })
  await copyVault(join(home, 'vaults/help'))
  await writeFile(join(home, 'vaults/help/film.bin'), randomBytes(9_000_000))
  const daemon = await start(home)
  await untilReady(daemon)
  for (const text of ['# One\n', '# Two\n']) await put(daemon, 'journal.md', text)
  await untilCommitted(daemon)
  return daemon
}

const untilReady = (daemon: Svcd) =>
  expect.poll(() => call(daemon, '/api/ready').then(({ status }) => status)).toBe(200)
const untilCommitted = (daemon: Svcd) =>
  expect
    .poll(async () => {
      const { body } = await call<{ revisions?: unknown[] }>(daemon, '/api/vaults/help/history/journal.md')
      return body?.revisions?.length ?? 0
    })
    .toBeGreaterThan(0)

async function put(daemon: Svcd, path: string, text: string): Promise<void> {
  const address = `/api/vaults/help/notes/${path}`
  const { status, headers } = await call(daemon, address)
  expect([200, 404]).toContain(status)
  const etag = headers.get('etag')
  const answer = await call(daemon, address, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', ...(etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }) },
    body: text,
  })
  expect(answer.status, answer.text).toBeLessThan(300)
}

/** Hash and mode of everything that is backed up, by path. */
async function contents(home: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const left = /^daemon\/(?:lock|history|status\.json|tmp|index|backups|restor|replaced)|\.lock$|\/\.svc\/tmp/
  for (const path of await readdir(home, { recursive: true })) {
    if (left.test(path)) continue // a running daemon also replaces files there
    const file = await stat(join(home, path))
    if (!file.isFile()) continue
    const hash = createHash('sha256').update(await readFile(join(home, path)))
    found[path] = `${hash.digest('hex')} ${(file.mode & 0o777).toString(8)}`
  }
  return found
}

/** What tells whether a file that belongs in a backup has changed, by path. */
async function stampsOf(home: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const path of await readdir(home, { recursive: true })) {
    if (!isBackedUp(path)) continue
    const file = await stat(join(home, path)).catch(() => undefined)
    if (file?.isFile()) found[path] = `${file.ino} ${file.ctimeMs}`
  }
  return found
}

const DEEP = `
const { mkdirSync, writeFileSync } = require('node:fs')
for (let depth = 0; depth < 20; depth++) {
  mkdirSync('deep'.repeat(60))
  process.chdir('deep'.repeat(60))
  writeFileSync('a.md', 'depth ' + depth)
}
`

test('a path that is too long for a backup ends none: new ones are refused, others are left out and counted', async () => {
  verifies('backup.everything-kept')
  const source = await start()
  await untilReady(source)
  const folder = `${'f'.repeat(250)}/`
  const create = (path: string) =>
    call(source, `/api/vaults/demo-vault/notes/${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'text/markdown', 'if-none-match': '*' },
      body: '# Long\n',
    })
  expect((await create(`${folder.repeat(8)}a.md`)).status).toBe(201)
  const other = `${'o'.repeat(250)}/`
  expect((await create(`${other.repeat(8)}b.md`)).status).toBe(201)
  const refused = { status: 400, body: { error: { code: 'invalid_request' } } }
  expect(await create(`${folder.repeat(9)}a.md`)).toMatchObject(refused)
  const move = { json: { from: 'f'.repeat(250), to: `${'t'.repeat(250)}/${'f'.repeat(250)}` } }
  expect(await call(source, '/api/vaults/demo-vault/move', move)).toMatchObject(refused)
  const remove = (name: string) => call(source, `/api/vaults/demo-vault/folders/${name}`, { method: 'DELETE' })
  expect((await remove('o'.repeat(250))).status).toBe(200)
  const trash = await call(source, '/api/vaults/demo-vault/trash')
  const [entry] = (trash.body as { entries: { id: string }[] }).entries
  const restore = (json: object) => call(source, `/api/vaults/demo-vault/trash/${entry?.id}/restore`, { json })
  expect(await restore({ path: `${'t'.repeat(250)}/${'o'.repeat(250)}` })).toMatchObject(refused)
  expect((await restore({ path: 'p'.repeat(250) })).status).toBe(200)
  expect((await remove('p'.repeat(250))).status).toBe(200)

  const vault = join(source.home, 'vaults/demo-vault')
  execFileSync(process.execPath, ['-e', DEEP], { cwd: vault })
  const restored: string[] = []
  try {
    const store = createBackupStore()
    const kept = (await store.backup(source, backupIdAt(1)))!
    expect(kept.summary.skipped).toBe(1)
    const target = await start()
    const ended = new Promise((resolve) => target.process.once('exit', resolve))
    expect(await store.restore(target, kept)).toMatchObject({ files: kept.summary.files, vaults: 1 })
    await ended
    await target.restart()
    restored.push(...(await readdir(join(target.home, 'vaults/demo-vault'), { recursive: true })))
  } finally {
    // Its paths are too long to be removed one by one.
    execFileSync('rm', ['-r', 'deep'.repeat(60)], { cwd: vault })
  }
  expect(restored).toContain(`${folder.repeat(8)}a.md`)
  expect(restored.filter((path) => path.startsWith('.svc/trash/') && path.endsWith('/b.md'))).toHaveLength(1)
  expect(restored.filter((path) => path.startsWith('deep') && path.endsWith('.md'))).toHaveLength(12)
})

test('a home is restored into another daemon byte for byte, with history, audit, trash and times', async () => {
  verifies('backup.everything-kept', 'backup.incremental')
  const source = await usedDaemon()
  await put(source, 'gone.md', '# Gone\n')
  const { headers } = await call(source, '/api/vaults/help/notes/gone.md')
  await call(source, '/api/vaults/help/notes/gone.md', {
    method: 'DELETE',
    headers: { 'if-match': headers.get('etag') ?? '' },
  })
  // Reading a history commits what waits, which would change files during the backup.
  expect((await call(source, '/api/vaults/help/history/gone.md')).status).toBe(200)
  const store = createBackupStore()
  let backups = 0
  const backup = async () => (await store.backup(source, backupIdAt(++backups)))!
  const kept = await backup()
  expect(kept.summary).toMatchObject({ skipped: 0, settled: true })

  // Some time after a change the history is committed, which writes files of the home.
  let [last, again] = [kept, kept]
  await until(
    'nothing changes while two backups are taken',
    async () => {
      const before = await stampsOf(source.home)
      last = await backup()
      again = await backup()
      return isDeepStrictEqual(await stampsOf(source.home), before)
    },
    { withinMs: 200_000 },
  )
  expect(again.summary).toMatchObject({ readBytes: 0, files: last.summary.files })
  const sentBefore = store.sent()
  await put(source, 'journal.md', '# Three\n')
  const third = await backup()
  expect(third.summary.readBytes).toBeLessThan(kept.summary.bytes / 4)
  expect(store.sent() - sentBefore).toBeLessThan(10)
  const wanted = await contents(source.home)

  const target = await start()
  const ended = new Promise((resolve) => target.process.once('exit', resolve))
  expect(await store.restore(target, third)).toMatchObject({ files: third.summary.files, vaults: 1 })
  expect(await ended).toBe(75)
  // Read the disk right after the home was put in place, before this daemon changes anything.
  await target.restart()
  await untilReady(target)
  const { body } = await call(target, '/api/ops/restore')
  expect(body).toMatchObject({ restore: { restoreId: 'restore-1', backupId: third.backupId } })
  const restored = await contents(target.home)
  for (const [path, content] of Object.entries(wanted))
    if (path.startsWith('vaults/')) expect(restored[path], path).toBe(content)
  // The audit continues where the source's audit ended: the first new line says that this daemon opened the vault.
  const [audit, goesOn] = await Promise.all(
    [source, target].map(({ home }) => readFile(join(home, 'daemon/audit/help.jsonl'), 'utf8')),
  )
  expect(goesOn!.startsWith(audit!)).toBe(true)
  const times = await Promise.all([source, target].map(({ file }) => stat(file('help', 'journal.md'))))
  expect(Math.abs(times[0]!.mtimeMs - times[1]!.mtimeMs)).toBeLessThan(1)
  const { body: note } = await call<{ note: { content: string } }>(target, '/api/vaults/help/notes/journal.md')
  expect(note.note.content).toBe('# Three\n')
  const { body: history } = await call<{ revisions: unknown[] }>(target, '/api/vaults/help/history/journal.md')
  expect(history.revisions.length).toBeGreaterThan(0)
})

test('a photo from before 1970 and names that other programs choose are in a backup that a drill proves', async () => {
  verifies('backup.always-restorable')
  const daemon = await start()
  await untilReady(daemon)
  const photo = join(daemon.home, 'vaults/demo-vault/1958.jpg')
  await writeFile(photo, 'photo')
  await utimes(photo, new Date(-372_988_800_500), new Date(-372_988_800_500))
  await writeFile(join(daemon.home, 'vaults/demo-vault/back\\slash.md'), '# Slash\n')
  const store = createBackupStore()
  const kept = (await store.backup(daemon, backupIdAt(1)))!
  expect(kept.summary.skipped).toBe(0)
  expect(await store.restore(daemon, kept, { purpose: 'drill' })).toMatchObject({ vaults: 1 })
  const target = await start()
  const ended = new Promise((resolve) => target.process.once('exit', resolve))
  await store.restore(target, kept)
  await ended
  await target.restart()
  await untilReady(target)
  expect((await stat(join(target.home, 'vaults/demo-vault/1958.jpg'))).mtimeMs).toBe(-372_988_800_500)
  expect(await readdir(join(target.home, 'vaults/demo-vault'))).toContain('back\\slash.md')
})

test('a drill proves a backup with a daemon of its own and leaves the home as it is', async () => {
  verifies('backup.drill-proves')
  const daemon = await usedDaemon()
  const store = createBackupStore()
  const kept = (await store.backup(daemon, backupIdAt(1)))!
  const before = await fingerprints(join(daemon.home, 'vaults'))
  expect(await store.restore(daemon, kept, { purpose: 'drill' })).toMatchObject({ vaults: 1 })
  expect(await fingerprints(join(daemon.home, 'vaults'))).toEqual(before)
  expect(await readdir(join(daemon.home, 'daemon'))).not.toContain('restoring')
  expect((await call(daemon, '/api/ops/restore')).body).toMatchObject({ restore: null })
})

test('a backup that is cut short, and one of a killed daemon, leave what was sent to the next one', async () => {
  verifies('backup.resumable')
  const daemon = await usedDaemon()
  const store = createBackupStore()
  expect(await store.backup(daemon, backupIdAt(1), { until: 3 })).toBeUndefined()
  const cut = store.sent()
  await daemon.kill()
  await daemon.restart()
  await untilReady(daemon)
  const kept = (await store.backup(daemon, backupIdAt(2)))!
  expect(cut).toBe(3)
  expect(store.sent()).toBe(store.chunks.size) // nothing was sent twice
  expect(await store.restore(daemon, kept, { purpose: 'drill' })).toMatchObject({ vaults: 1 })
})

test('a damaged backup is refused with what is wrong, and changes nothing', async () => {
  verifies('backup.tampering-refused')
  const daemon = await usedDaemon()
  const store = createBackupStore()
  const kept = (await store.backup(daemon, backupIdAt(1)))!
  const before = await fingerprints(join(daemon.home, 'vaults'))
  const name = kept.chunks[0]!
  const whole = store.chunks.get(name)!

  store.chunks.set(name, Buffer.from(whole).fill(whole[40]! ^ 1, 40, 41))
  await expect(store.restore(daemon, kept)).rejects.toThrow('backup_broken: ChunkChanged')
  store.chunks.set(name, store.chunks.get(kept.chunks[1]!)!)
  await expect(store.restore(daemon, kept)).rejects.toThrow('backup_broken: ChunkChanged')
  store.chunks.delete(name)
  await expect(store.restore(daemon, kept)).rejects.toThrow('backup_broken: ChunkMissing')
  store.chunks.set(name, whole)
  const stranger = createBackupStore({ key: 'b2'.repeat(32) })
  for (const [chunk, sealed] of store.chunks) stranger.chunks.set(chunk, sealed)
  await expect(stranger.restore(daemon, kept)).rejects.toThrow('backup_broken: ChunkChanged')
  await expect(store.restore(daemon, { ...kept, backupId: backupIdAt(9) })).rejects.toThrow('ChunkChanged')
  await expect(store.restore(daemon, { ...kept, manifest: [] })).rejects.toThrow('ManifestInvalid')

  expect(await fingerprints(join(daemon.home, 'vaults'))).toEqual(before)
  expect(await readdir(join(daemon.home, 'daemon'))).not.toContain('restoring')
})

const seal = createChunkSeal(dataKey)
const evil = (path: string): FileEntry => ({
  path,
  size: 0,
  mode: 0o600,
  mtimeMs: 0,
  stamp: [1, 1],
  sha256: createHash('sha256').digest('hex'),
  pieces: [],
})

async function manifestOf(files: FileEntry[], folders: string[]): Promise<KeptBackup['manifest']> {
  const backupId = backupIdAt(1)
  const head = { format: 1, backupId, takenAt: '2026-01-01T00:00:00.000Z' } as const
  const parts: Buffer[] = []
  for await (const part of encodeManifest({ head, files: new Map(files.map((file, i) => [`${i}`, file])), folders }))
    parts.push(await seal.seal(part, `manifest:${backupId}:${parts.length}`))
  return parts
}

const hostile: [string, FileEntry[], string[]][] = [
  ['leads out of the home', [evil('vaults/../../outside')], ['vaults']],
  ['is absolute', [evil('/etc/passwd')], ['vaults']],
  ['names the lock of the daemon', [evil('daemon/lock')], ['daemon']],
  ['plants the identity of another daemon', [evil('daemon/relay-identity.pem')], ['daemon']],
  ['plants a relay key', [evil('daemon/relay-key')], ['daemon']],
  ['has a file where a folder is', [evil('vaults/a')], ['vaults', 'vaults/a']],
  ['has a file in no folder', [evil('vaults/a/b')], ['vaults']],
  ['has a path twice', [evil('vaults/a'), evil('vaults/a')], ['vaults']],
  ['claims more bytes than its pieces hold', [{ ...evil('vaults/a'), size: 10 }], ['vaults']],
  ['makes a folder outside', [], ['vaults', '../x']],
]

test('a manifest that names anything outside of a backup is refused', async () => {
  verifies('backup.hostile-manifest-refused')
  const daemon = await start()
  const before = await fingerprints(join(daemon.home, 'vaults'))
  const store = createBackupStore()
  for (const [case_, files, folders] of hostile) {
    const manifest = await manifestOf(files, folders)
    const restoring = store.restore(daemon, { backupId: backupIdAt(1), manifest, chunks: [] })
    await expect(restoring, case_).rejects.toThrow('backup_broken: ManifestInvalid')
  }
  expect(await fingerprints(join(daemon.home, 'vaults'))).toEqual(before)
})

test('notes that are written while a backup is taken are saved at once, and the backup is one moment or says that it is not', async () => {
  verifies('backup.delays-no-save')
  const daemon = await usedDaemon()
  const store = createBackupStore()
  const taking = store.backup(daemon, backupIdAt(1))
  for (let i = 0; i < 8; i++) await put(daemon, `during-${i}.md`, `# ${i}\n`)
  const kept = (await taking)!
  await rm(join(daemon.home, 'vaults/help/during-1.md'))
  await appendFile(join(daemon.home, 'vaults/help/film.bin'), 'end')
  const next = (await store.backup(daemon, backupIdAt(2)))!
  expect(next.summary.readBytes).toBeGreaterThan(9_000_000)
  expect(await store.restore(daemon, kept, { purpose: 'drill' })).toMatchObject({ vaults: 1 })
})
