import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { FACTOR, rolledUpPacks } from './rolled-up-packs.ts'

let gitDir: string
let packs: string
let written: number
beforeEach(async () => {
  gitDir = await mkdtemp(join(tmpdir(), 'svc-packs-'))
  packs = join(gitDir, 'objects/pack')
  written = 0
  git(['init', '--quiet', '--bare', '--template='])
})
afterEach(() => removeFolder(gitDir))

const git = (args: string[], input = '') => execFileSync('git', [`--git-dir=${gitDir}`, ...args], { input })

/** Adds a pack of so many objects; returns its name. */
async function addPack(objects: number): Promise<string> {
  const before = await packNames()
  const contents = Array.from({ length: objects }, () => String(written++))
  const blobs = contents.map((text) => `blob\ndata ${text.length}\n${text}\n`)
  git(['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], blobs.join(''))
  return (await packNames()).find((name) => !before.includes(name))!
}
const packNames = async () =>
  (await readdir(packs)).filter((name) => name.endsWith('.pack')).map((name) => name.slice(0, -'.pack'.length))

test.each([
  { sizes: [7], rolledUp: [] },
  { sizes: [1, 2, 4, 8], rolledUp: [] },
  { sizes: [1, 2, 3, 8], rolledUp: [1, 2, 3, 8] },
  { sizes: [1, 2, 3, 12], rolledUp: [1, 2, 3] },
  { sizes: [20, 3, 3, 3], rolledUp: [3, 3, 3] },
  { sizes: [3, 3, 3, 18], rolledUp: [3, 3, 3] },
  { sizes: [3, 3, 3, 17], rolledUp: [3, 3, 3, 17] },
  { sizes: [1, 1, 10, 21, 100, 250], rolledUp: [1, 1] },
  { sizes: [1, 1, 3, 9, 60], rolledUp: [1, 1, 3, 9] },
  { sizes: [5, 1, 40, 50, 300], rolledUp: [1, 5, 40, 50] },
])('of packs of $sizes objects git writes those of $rolledUp anew', async ({ sizes, rolledUp }) => {
  for (const objects of sizes) await addPack(objects)
  const before = await packNames()
  const foretold = await rolledUpPacks(packs)
  expect(foretold.map(({ objects }) => objects)).toEqual(rolledUp)

  git(['repack', '-d', '-q', `--geometric=${FACTOR}`])
  const after = await packNames()
  expect(before.filter((name) => !after.includes(name)).toSorted()).toEqual(foretold.map(({ name }) => name).toSorted())
})

test('a pack that git keeps as it is does not count', async () => {
  const kept = await addPack(3)
  for (const objects of [3, 3, 20]) await addPack(objects)
  await writeFile(join(packs, `${kept}.keep`), '')
  const foretold = await rolledUpPacks(packs)
  expect(foretold.map(({ objects }) => objects)).toEqual([3, 3])

  git(['repack', '-d', '-q', `--geometric=${FACTOR}`])
  const after = await packNames()
  expect(after).toContain(kept)
  expect(after.filter((name) => foretold.some((pack) => pack.name === name))).toEqual([])
})
