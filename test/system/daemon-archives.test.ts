import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { VaultImported } from '@svc/shared/wire/daemon/daemon-archives.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { openEntry } from '../../daemon/src/archives/zip-entries.ts'
import { systemDisk } from '../../daemon/src/files/disk/disk.ts'
import { verifies } from '../requirements.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { newHome, startSvcd } from '../support/svcd.ts'
import { PATIENCE_MS, until } from '../support/until.ts'
import { copyVault, writeTrickyVault } from '../support/vault.ts'

let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeEach(async () => {
  daemon = await startRelayedDaemon()
})
afterEach(() => daemon.close())

const at = (vault: string, path = '') => join(daemon.home, 'vaults', vault, path)
const post = (body: Buffer, slug = 'copy') =>
  daemon.local(`/api/vaults/import?slug=${slug}&displayName=Copy`, {
    method: 'POST',
    headers: { 'content-type': 'application/zip' },
    body,
  })
const exported = async (vault: string): Promise<Buffer> => {
  const answer = await daemon.bytes(`/api/vaults/${vault}/export`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
  return answer.bytes
}

/** Every file and every empty folder below a folder, without hidden ones. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (name.split('/').some((part) => part.startsWith('.'))) continue
    if (entry.isFile()) found[name] = (await readFile(path)).toString('latin1')
    else if (entry.isDirectory() && (await readdir(path)).length === 0) found[`${name}/`] = ''
  }
  return found
}

/** An archive of files, by path. */
const zipOf = (files: Record<string, string>) => zip(Object.entries(files))

/** A zip with these entries, even if no ordinary program would write them. */
function zip(entries: [name: string, content: string, mode?: number][]): Promise<Buffer> {
  const file = new ZipFile()
  for (const [name, content, mode = 0o100644] of entries)
    if (name.endsWith('/')) file.addEmptyDirectory(name)
    else file.addBuffer(Buffer.from(content), name, { mode })
  file.end()
  return buffer(file.outputStream)
}

/** The same bytes with one name replaced by another of the same length. */
const renamed = (bytes: Buffer, from: string, to: string) =>
  Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')

/** The same bytes with one number of the first entry changed in the central directory. */
function changedTable(bytes: Buffer, at: number, value: number): Buffer {
  bytes.writeUInt32LE(value, bytes.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1')) + at)
  return bytes
}

const leftovers = async () => ({
  vaults: (await readdir(join(daemon.home, 'vaults'))).toSorted(),
  uploads: await readdir(join(daemon.home, 'daemon/tmp')).catch(() => []),
})

test('names that look like a drive are exported and imported', async () => {
  verifies('archive.round-trip')
  const names = ['Q: why.md', 'c:', 'D:/note.md', 'E:/empty/', 'plain/F: x.md']
  for (const name of names)
    if (name.endsWith('/')) await mkdir(at('demo-vault', name), { recursive: true })
    else {
      await mkdir(dirname(at('demo-vault', name)), { recursive: true })
      await writeFile(at('demo-vault', name), name)
    }
  const before = await contents(at('demo-vault'))
  expect((await post(await exported('demo-vault'))).status).toBe(201)
  expect(await contents(at('copy'))).toEqual(before)
  expect(Object.keys(before)).toEqual(expect.arrayContaining(names))
})

test('an archive whose names begin with the folder itself is imported', async () => {
  const archive = await zipOf({ './': '', './a.md': 'a', './.hidden/b.md': 'b', './sub/c.md': 'c' })
  const { status, body } = await post(archive)
  expect([status, VaultImported.parse(body).skipped.names]).toEqual([201, ['.hidden/b.md']])
  expect(await contents(at('copy'))).toEqual({ 'a.md': 'a', 'sub/c.md': 'c' })
  const twice = await zipOf({ './a.md': 'a', 'a.md': 'b' })
  expect((await post(twice, 'twice')).status).toBe(400)
})

test('an archive of macOS, whose names are UTF-8 without saying so, is imported with its names', async () => {
  verifies('archive.names')
  const archive = await zipOf({ 'Cafe\u0301/': '', 'Cafe\u0301/Tür.md': 'a', '東京.md': 'b' })
  for (const [record, flags] of [
    ['PK\x01\x02', 9],
    ['PK\x03\x04', 7],
  ] as const)
    for (let at = archive.indexOf(record, 0, 'latin1'); at !== -1; at = archive.indexOf(record, at + 1, 'latin1'))
      archive[at + flags]! &= ~0x08
  expect((await post(archive)).status).toBe(201)
  expect(await contents(at('copy'))).toEqual({ 'Cafe\u0301/Tür.md': 'a', '東京.md': 'b' })
})

test('a vault that is exported and imported has the same bytes', async () => {
  verifies('archive.round-trip')
  const source = at('demo-vault')
  await writeTrickyVault(source)
  await mkdir(at('demo-vault', 'empty/deep'), { recursive: true })
  await writeFile(at('demo-vault', 'CON.md'), 'a name that we would not make\r\n')
  await writeFile(at('demo-vault', 'cafe\u0301.md'), 'decomposed')
  await writeFile(at('demo-vault', 'zero.bin'), '')
  await writeFile(at('demo-vault', 'line.md'), 'x'.repeat(900_000))
  await mkdir(at('demo-vault', '.obsidian'))
  await writeFile(at('demo-vault', '.obsidian/app.json'), '{}')
  await symlink('/etc/passwd', at('demo-vault', 'link.md'))
  await writeFile(at('demo-vault', '.svc/folders.yml'), '# mine\r\nfolders: { empty: { order: 1 } }\r\n')
  const before = await contents(source)
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['empty/deep/', 'CON.md', 'cafe\u0301.md', 'zero.bin']))

  const answer = await post(await exported('demo-vault'))
  expect(answer.status, answer.text).toBe(201)
  const { vault, files, skipped } = VaultImported.parse(answer.body)
  expect([vault, files, skipped]).toEqual([
    { id: 'copy', displayName: 'Copy' },
    Object.keys(before).filter((name) => !name.endsWith('/')).length + 1,
    { count: 0, names: [] },
  ])
  const after = await contents(at('copy'))
  expect(after).toEqual(before)
  expect(await readFile(at('copy', '.svc/folders.yml'), 'utf8')).toBe('# mine\r\nfolders: { empty: { order: 1 } }\r\n')
  const identity = async (id: string) =>
    (JSON.parse(await readFile(at(id, '.svc/vault.json'), 'utf8')) as { identity: string }).identity
  expect(await identity('copy')).not.toBe(await identity('demo-vault'))
  expect((await daemon.local('/api/vaults/copy/notes/Windows.md')).status).toBe(200)
  expect(await contents(at('copy'))).toEqual(await contents(source))
  expect((await leftovers()).uploads).toEqual([])
})

test('a real vault survives the round trip', async () => {
  verifies('archive.round-trip')
  await copyVault(at('demo-vault', 'real'))
  const bytes = await exported('demo-vault')
  const answer = await post(bytes)
  expect(answer.status, answer.text).toBe(201)
  expect(await contents(at('copy'))).toEqual(await contents(at('demo-vault')))
})

describe('an archive that cannot be a vault is refused and leaves nothing', () => {
  const link = 0o120777
  const hostile: [string, () => Promise<Buffer>][] = [
    ['a path out of the vault', async () => renamed(await zip([['aa/evil.md', 'x']]), 'aa/evil.md', '../evil.md')],
    ['a path out of it in the middle', async () => renamed(await zip([['a/bb/x.md', 'x']]), 'a/bb/x.md', 'a/../x.md')],
    ['an absolute path', async () => renamed(await zip([['aetc/x.md', 'x']]), 'aetc/x.md', '/etc/x.md')],
    ['a path of another system', async () => renamed(await zip([['aa/bb.md', 'x']]), 'aa/bb.md', 'aa\\bb.md')],
    ['a drive letter', async () => renamed(await zip([['aaa/x.md', 'x']]), 'aaa/x.md', 'C:\\\\x.md'.slice(0, 8))],
    ['a link', () => zip([['l.md', '/etc/passwd', link]])],
    [
      'a link and a file below it',
      () =>
        zip([
          ['l', '/tmp', link],
          ['l/x.md', 'x'],
        ]),
    ],
    ['a device', () => zip([['d', '', 0o020666]])],
    ['a fifo', () => zip([['f.md', '', 0o010644]])],
    ['names that differ in case', () => zipOf({ 'a.md': '1', 'A.md': '2' })],
    ['names that differ in normal form', () => zipOf({ 'é.md': '1', 'e\u0301.md': '2' })],
    ['folders that differ in case', () => zipOf({ 'a/x.md': '1', 'A/y.md': '2' })],
    ['one name twice', async () => renamed(await zipOf({ 'a1.md': '1', 'a2.md': '2' }), 'a2.md', 'a1.md')],
    ['a file that is a folder too', () => zipOf({ a: '1', 'a/b.md': '2' })],
    ['a control character', () => zip([['a\u0001.md', 'x']])],
    ['an empty segment', async () => renamed(await zip([['a/bbx.md', 'x']]), 'a/bbx.md', 'a//xx.md')],
    ['a name of 300 bytes', () => zip([[`${'x'.repeat(300)}.md`, 'x']])],
    ['more than may be unpacked', () => zip([['zeros.bin', '\0'.repeat(64_100_000)]])],
    ['a cut end', async () => (await zip([['a.md', 'x'.repeat(500)]])).subarray(0, -30)],
    ['no zip', async () => Buffer.from('not a zip at all')],
    ['nothing', async () => Buffer.alloc(0)],
    ['bytes that are not those of its checksum', async () => changedTable(await zip([['a.png', 'hello']]), 16, 1)],
    ['a size that is a lie', async () => changedTable(await zip([['a.md', 'x'.repeat(5000)]]), 24, 10)],
  ]
  test('one after the other', async () => {
    verifies('archive.hostile', 'notes.safe-paths')
    const before = await leftovers()
    for (const [name, make] of hostile) {
      const bytes = await make()
      const answer = await post(bytes)
      expect(answer.status, `${name}: ${answer.text}`).toBeGreaterThanOrEqual(400)
      expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(500)
      expect(ErrorBody.parse(answer.body).ok).toBe(false)
      expect(await leftovers(), name).toEqual(before)
    }
  })
})

test('an archive may have the longest path of a new note, and none that is longer', async () => {
  verifies('notes.safe-paths', 'backup.everything-kept')
  const folders = `${'ä'.repeat(125)}/`.repeat(8)
  const longest = `${folders}${'n'.repeat(37)}.md`
  expect(Buffer.byteLength(longest)).toBe(2048)
  expect((await post(await zipOf({ [longest]: 'x' }))).status).toBe(201)
  expect(await contents(at('copy'))).toEqual({ [longest]: 'x' })

  const before = await leftovers()
  for (const path of [`${folders}${'n'.repeat(38)}.md`, `${folders}${'n'.repeat(41)}/`]) {
    const { status, text } = await post(await zipOf({ [path]: '' }), 'longer')
    expect([status, text]).toEqual([400, expect.stringContaining('is longer than 2048 bytes')])
  }
  expect(await leftovers()).toEqual(before)
})

test('an entry that proves damaged before anybody reads it fails for its reader, and ends no process', async () => {
  verifies('archive.hostile')
  const path = join(daemon.home, 'lie.zip')
  await writeFile(path, changedTable(await zip([['a.md', 'x'.repeat(5000)]]), 24, 10))
  const archive = await openPromise(path, { autoClose: false })
  try {
    for await (const entry of archive.eachEntry()) {
      const content = await openEntry(archive, entry)
      await until('the entry has failed', () => content.errored !== null)
      await expect(buffer(content)).rejects.toThrow('too many bytes')
    }
  } finally {
    archive.close()
  }
})

test('hidden files of an archive are left out and named', async () => {
  verifies('archive.hostile')
  const bytes = await zip([
    ['a.md', 'x'],
    ['.obsidian/app.json', '{}'],
    ['.git/hooks/post-commit', '#!/bin/sh'],
    ['.svc/vault.json', '{}'],
    ['.svc/move.json', '{}'],
    ['__MACOSX/._a.md', ''],
    ['sub/.DS_Store', ''],
  ])
  const { files, skipped } = VaultImported.parse((await post(bytes)).body)
  expect([files, skipped.count]).toEqual([1, 6])
  expect((await readdir(at('copy'))).toSorted()).toEqual(['.svc', 'a.md'])
  expect(await readdir(at('copy', '.svc'))).toEqual(['vault.json'])
})

test('a name that is taken, and a member through the relay, are refused', async () => {
  verifies('archive.hostile', 'security.member-rights')
  const bytes = await zip([['a.md', 'x']])
  expect(ErrorBody.parse((await post(bytes, 'demo-vault')).body).error.code).toBe('vault_exists')
  for (const role of ['member', 'admin'] as const) {
    const answer = await daemon.person(role).call('/api/vaults/import?slug=mine&displayName=M', {
      method: 'POST',
      headers: { 'content-type': 'application/zip' },
      body: bytes,
    })
    expect(answer.status).toBe(403)
  }
  expect((await daemon.person('member').call('/api/vaults/demo-vault/export')).status).toBe(200)
  expect((await daemon.local('/api/vaults/none/export')).status).toBe(404)
  expect((await post(bytes)).status).toBe(201)
  expect(dirname(at('copy'))).toBe(join(daemon.home, 'vaults'))
})

/** Holds the unpacking of an archive at its file `held.md` until it is released. */
function holdUnpacking() {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const { open } = systemDisk
  const opening = vi.spyOn(systemDisk, 'open').mockImplementation(async (...file) => {
    if (String(file[0]).endsWith('/held.md')) {
      reached.resolve()
      await released.promise
    }
    return open(...file)
  })
  onTestFinished(() => void opening.mockRestore())
  return { reached: reached.promise, release: released.resolve }
}

test('while an archive is unpacked, other vaults are created, also under its name', async () => {
  verifies('archive.unhurried-import')
  const held = holdUnpacking()
  const late = post(await zipOf({ 'held.md': 'x', 'b.md': 'x' }))
  await held.reached
  const created = (async () => {
    const { status } = await daemon.local('/api/vaults', { json: { slug: 'made', displayName: 'Made' } })
    return [status, (await post(await zipOf({ 'a.md': 'x' }))).status]
  })()
  const first = await Promise.race([created, systemClock.sleep(PATIENCE_MS)])
  held.release()
  expect(first).toEqual([201, 201])
  expect(ErrorBody.parse((await late).body).error.code).toBe('vault_exists')
  expect(await contents(at('copy'))).toEqual({ 'a.md': 'x' })
  expect((await leftovers()).vaults).toEqual(['copy', 'demo-vault', 'made'])
})

test('an import that a stop of the daemon interrupts leaves nothing', async () => {
  verifies('archive.unhurried-import')
  const before = await leftovers()
  const held = holdUnpacking()
  const importing = post(await zipOf({ 'held.md': 'x', 'b.md': 'x' }))
  await held.reached
  daemon.registry.stopping()
  held.release()
  expect(ErrorBody.parse((await importing).body).error.code).toBe('vault_closing')
  expect(await leftovers()).toEqual(before)
})

test('an import whose client has left makes no vault', async () => {
  verifies('archive.unhurried-import')
  const before = await leftovers()
  const held = holdUnpacking()
  const url = `${daemon.urls.local}/api/vaults/import?slug=copy&displayName=Copy`
  const importing = request(url, { method: 'POST', headers: { 'content-type': 'application/zip' } })
  importing.on('error', () => {})
  importing.end(await zipOf({ 'held.md': 'x', 'b.md': 'x' }))
  await held.reached
  importing.destroy()
  // Their answers come after the daemon has seen that the client has left.
  for (let times = 0; times < 5; times++) await daemon.local('/api/health')
  held.release()
  await until('nothing is left', async () => JSON.stringify(await leftovers()) === JSON.stringify(before))
})

test('what a killed import had unpacked is gone after the next start', async () => {
  verifies('archive.killed-import')
  const home = await newHome()
  await mkdir(join(home, 'vaults/.new-0123456789abcdef/.svc'), { recursive: true })
  await writeFile(join(home, 'vaults/.new-0123456789abcdef/a.md'), 'x')
  const next = await startSvcd({ home })
  onTestFinished(() => next.remove())
  expect(await readdir(join(home, 'vaults'))).toEqual(['demo-vault'])
})
