import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clearGitLeftovers, clearLeftoversOfAll } from './clear-git-leftovers.ts'

let folder: string
let history: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-leftovers-'))
  history = join(folder, 'history')
})
afterEach(() => rm(folder, { recursive: true }))

const put = async (path: string) => {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), '')
}
const namesIn = async (path: string) => (await readdir(join(folder, path))).toSorted()

test('what a killed git left is removed from every directory of ours, and nothing behind a link', async () => {
  await put('history/a.git/HEAD.lock')
  await put('history/a.git/objects/pack/tmp_pack_x')
  await put('history/a.git/objects/pack/pack-x.pack')
  await put('mine/yarn.lock')
  await symlink(join(folder, 'mine'), join(history, 'b.git'))
  await put('history/c.git')
  await clearLeftoversOfAll(history)
  expect(await namesIn('history/a.git')).toEqual(['objects'])
  expect(await namesIn('history/a.git/objects/pack')).toEqual(['pack-x.pack'])
  expect(await namesIn('mine')).toEqual(['yarn.lock'])
})

test('what cannot be removed keeps nothing else from being removed', async () => {
  await put('history/a.git/a.lock/kept')
  await put('history/a.git/b.lock')
  await put('history/a.git/objects/pack/tmp_pack_x')
  await put('history/b.git/HEAD.lock')
  await expect(clearGitLeftovers(join(history, 'a.git'))).rejects.toThrow('a.lock')
  expect(await namesIn('history/a.git')).toEqual(['a.lock', 'objects'])
  expect(await namesIn('history/a.git/objects/pack')).toEqual([])

  await clearLeftoversOfAll(history)
  expect(await namesIn('history/b.git')).toEqual([])
  expect(await namesIn('history/a.git/a.lock')).toEqual(['kept'])
})
