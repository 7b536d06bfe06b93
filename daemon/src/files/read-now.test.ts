import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readWhole } from './open-file.ts'
import { readNow } from './read-now.ts'

let folder: string
let root: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-read-')))
  root = join(folder, 'vault')
  await mkdir(join(root, 'notes'), { recursive: true })
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside/secret.md'), 'secret')
  await writeFile(join(root, 'notes/a.md'), 'text')
  await writeFile(join(root, 'empty.md'), '')
  await writeFile(join(root, 'large.md'), 'x'.repeat(100_000))
  await symlink(join(folder, 'outside'), join(root, 'linked'))
  await symlink(join(folder, 'outside/secret.md'), join(root, 'link.md'))
  execFileSync('mkfifo', [join(root, 'pipe.md')])
})
afterAll(() => rm(folder, { recursive: true }))

test.runIf(process.platform === 'linux')('a small file of a vault is read', () => {
  expect(readNow(root, 'notes/a.md')?.bytes.toString()).toBe('text')
  expect(readNow(root, 'empty.md')?.bytes.toString()).toBe('')
})

test.runIf(process.platform === 'linux')('it is read as by the threads: the same bytes, stamp and mode', async () => {
  await chmod(join(root, 'notes/a.md'), 0o640)
  expect(readNow(root, 'notes/a.md')).toEqual(await readWhole(root, 'notes/a.md', 100))
})

test.runIf(process.platform === 'linux')('a missing file is not found', () => {
  expect(() => readNow(root, 'missing.md')).toThrow(expect.objectContaining({ code: 'not_found' }) as Error)
})

test.each(['large.md', 'notes', 'link.md', 'linked/secret.md', 'pipe.md'])('%s is not read', (path) => {
  expect(readNow(root, path)).toBeUndefined()
})
