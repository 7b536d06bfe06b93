import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk, type Disk } from '../files/disk/disk.ts'
import { createFileRoot } from '../files/file-root.ts'
import type { Vault } from '../vaults/vault.ts'
import { rescueText } from './rescue-text.ts'

let path: string
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'svc-rescue-'))
  await mkdir(join(path, 'away'))
})
afterEach(() => removeFolder(path))

test.each(['EACCES', 'EIO', 'EMFILE'])('text is rescued though its folder cannot be opened (%s)', async (code) => {
  verifies('live.deletion-told')
  const disk: Disk = {
    ...systemDisk,
    async open(name, ...how) {
      if (name.endsWith('/away')) throw Object.assign(new Error(code), { code })
      return systemDisk.open(name, ...how)
    },
  }
  const vault = {
    files: createFileRoot({ path, disk, reservedBytes: 0 }),
    refuseReplaced: async () => {},
    audit: { intend: async () => ({ done() {}, failed() {} }) },
  } as unknown as Vault
  await rescueText({ vault, path: 'away/a.md', text: 'unsaved', by: { kind: 'local' }, clock: systemClock })
  const [id] = await readdir(join(path, '.svc/trash'))
  expect(await readFile(join(path, '.svc/trash', id!, 'content'), 'utf8')).toBe('unsaved')
})
