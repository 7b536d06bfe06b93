import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { followHistory } from '../../daemon/src/history/follow-history.ts'
import { openHistory } from '../../daemon/src/history/history-reader.ts'
import { readHistory } from '../../daemon/src/history/read-history.ts'
import { beginReading } from '../../daemon/src/vaults/reading/first-reading.ts'
import { createVaultView } from '../../daemon/src/vaults/vault-view.ts'
import { stampAt } from '../../daemon/src/watch/list-folder.ts'
import { verifies } from '../requirements.ts'
import { blobOf } from '../support/history.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'
import { forgetfulMemory } from '../support/forgetful-memory.ts'

const log = createLog({ service: 'test', level: 'info', destination: { write: () => {} } })
const searchPath = process.env.PATH!
const watch = { start: async () => {}, unreadable: () => [], unread: () => [], away: () => [] }

let folder: string
let root: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-late-'))
  root = join(folder, 'vault')
  await mkdir(root)
})
afterEach(() => removeFolder(folder))

/** Opens the vault with its history, while the disk fails on reads of these notes. */
function openVault(notes: Record<string, string>, failing: Set<string>) {
  const histories = followHistory({
    makeRoom: async () => {},
    folder,
    searchPath,
    maxNoteBytes: 1000,
    clock: systemClock,
    log,
  })
  const view = createVaultView({ id: 'v', root, follow: [histories.follow], log })
  const history = histories.of({ id: 'v' })
  const reader = readHistory({ open: openHistory({ searchPath }) })
  const closing = new AbortController()

  async function read(path: string): Promise<boolean> {
    if (failing.has(path)) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    const text = notes[path]!
    const facts = { kind: 'note', baseline: text, title: '', blob: blobOf(text) } as const
    const content = { facts, tags: [], properties: {}, bytes: Buffer.from(text), text }
    const stamp = (await stampAt(join(root, path)))!
    view.publish({ kind: 'found', path, stamp, content, origin: { kind: 'outside' } })
    return true
  }

  return {
    async begin() {
      for (const path of Object.keys(notes)) {
        await writeFile(join(root, path), notes[path]!)
        view.manifest.putFile({ path, stamp: (await stampAt(join(root, path)))!, facts: undefined })
      }
      const { manifest } = view
      const { signal } = closing
      beginReading({ manifest, memory: forgetfulMemory, watch, read, view, signal, log, delayMs: () => 10 })
    },
    async texts(path: string): Promise<(string | undefined)[]> {
      await history.commitAll()
      const { revisions } = await reader.revisions(history, { path, limit: 9, offset: 0 })
      return Promise.all(revisions.map(({ rev }) => reader.textAt(history, { path, rev })))
    },
    async close() {
      closing.abort(new Error('closing'))
      await view.close()
    },
  }
}

test('notes that cannot be read when their vault is opened are in the history as soon as each is read, with what changed meanwhile', async () => {
  verifies('vault.first-reading')
  const failing = new Set(['first.md', 'never.md'])
  const first = openVault({ 'a.md': 'a\n', 'first.md': 'one\n', 'never.md': 'never\n' }, failing)
  await first.begin()
  await until('the other note is in the history', async () => (await first.texts('a.md')).length === 1)
  expect(await first.texts('first.md')).toEqual([])
  failing.delete('first.md')
  await until('the note is in the history', async () => (await first.texts('first.md')).length === 1)
  expect(await first.texts('never.md')).toEqual([])
  await first.close()

  // Changed while no daemon ran.
  failing.add('first.md')
  const again = openVault({ 'a.md': 'a, changed\n', 'first.md': 'two\n', 'never.md': 'never\n' }, failing)
  await again.begin()
  await until('the notes are compared with the history', async () => (await again.texts('a.md')).length === 2)
  expect(await again.texts('first.md')).toEqual(['one\n'])
  failing.delete('first.md')
  await until('the change is in the history', async () => (await again.texts('first.md')).length === 2)
  expect(await again.texts('first.md')).toEqual(['two\n', 'one\n'])
  expect(await again.texts('never.md')).toEqual([])
  await again.close()
})
