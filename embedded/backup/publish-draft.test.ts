import { link, lstat, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { removeFolder } from '../../test/support/remove-folder.ts'
import { publishDraft } from './publish-draft.ts'

let folder: string
let draft: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-publish-'))
  draft = join(folder, 'backup.partial')
  file = join(folder, 'backup')
  await writeFile(draft, 'complete', { mode: 0o600 })
})
afterEach(() => removeFolder(folder))

/** A disk whose `link` fails with a code. */
const linkFailsWith = (code: string) => async (): Promise<void> => {
  throw Object.assign(new Error(`${code}: link`), { code })
}

const disks = [
  { disk: 'a disk with hard links', makeLink: link },
  ...['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].map((code) => ({
    disk: `a disk that answers ${code} to links`,
    makeLink: linkFailsWith(code),
  })),
]

test.each(disks)('on $disk a draft gets its name', async ({ makeLink }) => {
  verifies('embedded.backup')
  await publishDraft(draft, file, makeLink)
  expect(await readFile(file, 'utf8')).toBe('complete')
  expect((await lstat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['backup'])
})

test.each(disks)('on $disk a file that has the name keeps its content', async ({ makeLink }) => {
  verifies('embedded.backup')
  await writeFile(file, 'of somebody else')
  await expect(publishDraft(draft, file, makeLink)).rejects.toThrow('EEXIST')
  expect(await readFile(file, 'utf8')).toBe('of somebody else')
})

test('another failure leaves no file of the name', async () => {
  verifies('embedded.backup')
  await expect(publishDraft(draft, file, linkFailsWith('EIO'))).rejects.toThrow('EIO')
  await expect(publishDraft(join(folder, 'no draft'), file, linkFailsWith('EPERM'))).rejects.toThrow('ENOENT')
  expect(await readdir(folder)).toEqual(['backup.partial'])
})
