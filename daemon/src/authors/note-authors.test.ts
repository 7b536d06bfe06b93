import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { noAuthorship } from '../edits/fold-authors.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { createFileRoot } from '../files/file-root.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import type { NoteHistory } from '../history/note-history.ts'
import { createParsingPool } from '../note-jobs/parsing-pool.ts'
import { createRunNoteJob } from '../note-jobs/run-note-job.ts'
import type { Vault } from '../vaults/vault.ts'
import { createNoteAuthors } from './note-authors.ts'

const pool = createParsingPool({ deadlineMs: 0, idleMs: 1000, maxHeapMb: 256 })
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-note-authors-'))
})
afterAll(async () => {
  await pool.close()
  await removeFolder(root)
})

const vault = (): Vault =>
  ({
    layout: { root },
    files: createFileRoot({ path: root, disk: systemDisk, reservedBytes: 0 }),
    manifest: { onDisk: (path: string) => path, file: () => undefined },
    live: { unsaved: () => undefined, written: () => undefined },
    queue: { run: (_key: string, work: () => Promise<unknown>) => work() },
  }) as unknown as Vault

test('the authors of a note are unknown when finding them takes too long', async () => {
  verifies('untrusted.off-loop')
  const authors = createNoteAuthors({
    findCommitted: async () => ({ authorship: noAuthorship, sources: [{}] }),
    historyOf: () => ({ pendingOf: () => [], writes: () => 0 }) as unknown as NoteHistory,
    runNoteJob: createRunNoteJob(pool),
    maxNoteBytes: 1024 ** 2,
    now: () => new Date(0),
  })
  await writeFile(join(root, 'long.md'), `a${'\n'.repeat(500_000)}`)
  expect(await authors(vault(), parseVaultPath('long.md'))).toMatchObject({
    path: 'long.md',
    lines: 500_000,
    runs: [{ line: 1, lines: 500_000 }],
  })
  await writeFile(join(root, 'short.md'), 'one\ntwo')
  expect(await authors(vault(), parseVaultPath('short.md'))).toMatchObject({
    lines: 2,
    runs: [{ line: 1, lines: 2 }],
  })
})
