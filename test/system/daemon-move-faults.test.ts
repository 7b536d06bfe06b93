import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditList } from '@svc/shared/wire/daemon.api.ts'
import { ErrorBody } from '@svc/shared/wire/error-body.ts'
import { recoverMove } from '../../daemon/src/files/carry-out-move.ts'
import { systemDisk } from '../../daemon/src/files/disk.ts'
import { fileRoot } from '../../daemon/src/files/file-root.ts'
import { verifies } from '../requirements.ts'
import { faultyDisk } from '../support/faulty-disk.ts'
import { startRelayedDaemon } from '../support/relayed-daemon.ts'
import { until } from '../support/until.ts'

const faulty = faultyDisk()
let daemon: Awaited<ReturnType<typeof startRelayedDaemon>>
beforeAll(async () => {
  daemon = await startRelayedDaemon({ disk: faulty.disk })
})
afterAll(() => daemon.close())

const at = (path: string) => join(daemon.home, 'vaults/demo-vault', path)
const api = (path: string, options?: Parameters<typeof daemon.local>[1]) =>
  daemon.local(`/api/vaults/demo-vault${path}`, options)
const MAX_STEPS = 250
const TYPED = ['storage_full', 'storage_read_only', 'storage_failed', 'file_access_denied']

type Files = Record<string, string>
type Case = { name: string; from: string; to: string; before: Files; after: Files }

const cases: Case[] = [
  {
    name: 'a note with links to itself and from others',
    from: 'm.md',
    to: 'sub/deep/n.md',
    before: { 'm.md': '[[m]] [o](o.md)\n', 'o.md': '[[m]]\n', 'p/q.md': '[m](../m.md)\n' },
    after: { 'sub/deep/n.md': '[[n]] [o](../../o.md)\n', 'o.md': '[[n]]\n', 'p/q.md': '[m](../sub/deep/n.md)\n' },
  },
  {
    name: 'a folder with settings',
    from: 'f',
    to: 'g/h',
    before: { 'f/a.md': '[[b]] [x](../x.md)\n', 'f/b.md': 'b\n', 'x.md': '[[f/a]]\n', '.svc/folders.yml': 'folders: { f: { order: 1 } }\n' }, // prettier-ignore
    after: { 'g/h/a.md': '[[b]] [x](../../x.md)\n', 'g/h/b.md': 'b\n', 'x.md': '[[g/h/a]]\n', '.svc/folders.yml': 'folders: { "g/h": { order: 1 } }\n' }, // prettier-ignore
  },
  {
    name: 'an attachment',
    from: 'i.png',
    to: 'img/j.png',
    before: { 'i.png': 'png', 'e.md': '![[i.png]]\n' },
    after: { 'img/j.png': 'png', 'e.md': '![[j.png]]\n' },
  },
]

/** Every file of the vault that a move may touch. */
async function filesNow(): Promise<Files> {
  const found: Files = {}
  for (const entry of await readdir(at('.'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(at('.').length + 1)
    const isOurs = path.startsWith('.svc/') && path !== '.svc/folders.yml'
    if (entry.isFile() && !isOurs) found[path] = await readFile(at(path), 'utf8')
  }
  return found
}

/** Makes the vault hold just these files, and waits until the daemon knows them. */
async function given(files: Files): Promise<void> {
  for (const name of await readdir(at('.'))) if (name !== '.svc') await rm(at(name), { recursive: true })
  for (const name of ['tmp', 'move.json', 'folders.yml']) await rm(at(`.svc/${name}`), { recursive: true, force: true })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(at(path), '..'), { recursive: true })
    await writeFile(at(path), content)
  }
  const notes = Object.keys(files).filter((path) => !path.startsWith('.svc'))
  const vault = daemon.registry.find('demo-vault')
  const known = vault.manifest.files().map(({ path }) => path)
  for (const path of new Set([...notes, ...known])) await vault.recheck(path)
  await until('the daemon knows the files', async () => vault.manifest.count() === notes.length)
}

async function newestEntry() {
  return AuditList.parse((await api('/audit?limit=1')).body).entries[0]
}

describe.each(cases)('moving $name', ({ from, to, before, after }) => {
  const run = () => api('/move', { json: { from, to } })

  test.each(['ENOSPC', 'EIO'])('%s at any step is a typed failure that changes nothing', async (errno) => {
    verifies('links.move-crash', 'notes.volume-failures', 'audit.intent')
    let failures = 0
    for (let step = 1; ; step++) {
      await given(before)
      const last = JSON.stringify(await newestEntry())
      faulty.arm({ at: step, errno, lasts: 'once' })
      const answer = await run()
      const hits = faulty.heal()
      const where = `${errno} at step ${step} (${hits[0]}): ${answer.text}`
      expect(await filesNow(), where).toEqual(answer.status === 200 ? after : before)
      if (answer.status !== 200) {
        failures++
        expect(TYPED, where).toContain(ErrorBody.parse(answer.body).error.code)
      }
      const entry = await newestEntry()
      const outcome = answer.status === 200 ? 'done' : 'failed'
      if (JSON.stringify(entry) !== last) expect(entry, where).toMatchObject({ path: from, to, outcome })
      if (hits.length === 0) break
      expect(step).toBeLessThan(MAX_STEPS)
    }
    expect(failures).toBeGreaterThan(10)
  })

  test('a crash at any step ends with all or nothing at the next start', async () => {
    verifies('links.move-crash')
    const ends = { before: 0, after: 0 }
    for (let step = 1; ; step++) {
      await given(before)
      // From here on nothing reaches the disk any more, as after a kill: not even what would undo the move.
      faulty.arm({ at: step, errno: 'EIO', lasts: 'on' })
      const answer = await run()
      const hits = faulty.heal()
      await recoverMove(fileRoot({ path: at('.').slice(0, -2), disk: systemDisk, reservedBytes: 0 }))
      const files = await filesNow()
      const isMade =
        JSON.stringify(Object.entries(files).toSorted()) === JSON.stringify(Object.entries(after).toSorted())
      ends[isMade ? 'after' : 'before']++
      if (!isMade) expect(files, `step ${step} (${hits[0]}): ${answer.text}`).toEqual(before)
      expect(answer.status === 200 && !isMade).toBe(false)
      expect(await readdir(at('.svc'))).not.toContain('move.json')
      if (hits.length === 0) break
      expect(step).toBeLessThan(MAX_STEPS)
    }
    expect(ends.before).toBeGreaterThan(10)
    expect(ends.after).toBeGreaterThan(1)
  })
})
