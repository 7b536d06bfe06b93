import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
  expect(readNow(root, 'notes/a.md')?.toString()).toBe('text')
  expect(readNow(root, 'empty.md')?.toString()).toBe('')
})

test.each(['large.md', 'missing.md', 'notes', 'link.md', 'linked/secret.md', 'pipe.md'])('%s is not read', (path) => {
  expect(readNow(root, path)).toBeUndefined()
})
