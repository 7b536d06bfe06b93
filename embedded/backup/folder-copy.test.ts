import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock as clock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../../test/requirements.ts'
import { removeFolder } from '../../test/support/remove-folder.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { createFolderCopy } from './folder-copy.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-copy-'))
})
afterEach(() => removeFolder(folder))

test('what has a name that is not UTF-8 is told as left out, a file and a folder alike', async () => {
  verifies('embedded.backup-left-out')
  const vault = join(folder, 'vault')
  const latin = (name: string) => Buffer.concat([Buffer.from(`${vault}/`), Buffer.from(name, 'latin1')])
  await mkdir(vault)
  await writeFile(join(vault, 'note.md'), 'text')
  await writeFile(join(vault, 'caf\uFFFD.md'), 'text')
  await writeFile(latin('th\u00E9.md'), 'text')
  await mkdir(latin('\u00E9t\u00E9'))
  await writeFile(latin('\u00E9t\u00E9/note.md'), 'text')

  const archive = new ArchiveWriter(join(folder, 'archive'))
  const copy = createFolderCopy({ archive, clock })
  for (let pass = 0; pass < 2; pass++) await copy.pass([{ name: 'data/vault', path: vault }])
  expect([...copy.skipped].toSorted()).toEqual(['data/vault/th\uFFFD.md', 'data/vault/\uFFFDt\uFFFD'])
  expect(archive.count).toBe(3)
  await archive.finish()
})
