import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLocalImage } from '@svc/operator/src/runtime/processes/local-image.ts'
import { verifies } from '../test/requirements.ts'
import { importLocalImage, removeKilledImports } from './local-images.ts'

let base: string
let bundleDir: string
let imagesDir: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-image-'))
  bundleDir = join(base, 'bundle')
  imagesDir = join(base, 'images')
  await mkdir(join(bundleDir, 'web'), { recursive: true })
  await writeFile(join(bundleDir, 'svcd.mjs'), 'a program')
  await writeFile(join(bundleDir, 'web/page.html'), 'a page')
})
afterEach(async () => {
  await rm(base, { recursive: true, force: true })
})

test('an image that a power cut has damaged is imported again, and a whole one is left alone', async () => {
  verifies('embedded.power-cut')
  const image = await importLocalImage({ bundleDir, imagesDir })
  const [name = ''] = await readdir(imagesDir)
  for (const damage of [
    () => truncate(join(imagesDir, name, 'svcd.mjs'), 0),
    () => rm(join(imagesDir, name, 'web'), { recursive: true }),
    () => rm(join(imagesDir, name), { recursive: true }),
  ]) {
    await damage()
    expect(await openLocalImage(imagesDir, image)).toMatchObject({ state: 'refused' })
    expect(await importLocalImage({ bundleDir, imagesDir })).toBe(image)
    expect(await openLocalImage(imagesDir, image)).toMatchObject({ state: 'allowed' })
    expect(await readdir(imagesDir)).toEqual([name])
  }

  await mkdir(join(imagesDir, name, 'empty')) // folders are no part of the digest
  await importLocalImage({ bundleDir, imagesDir })
  expect(await readdir(join(imagesDir, name))).toContain('empty')
})

test('what a killed import left is removed, and no image', async () => {
  verifies('embedded.power-cut')
  await removeKilledImports(imagesDir)
  await importLocalImage({ bundleDir, imagesDir })
  const [name = ''] = await readdir(imagesDir)
  await mkdir(join(imagesDir, '.import-0123456789abcdef/web'), { recursive: true })
  await removeKilledImports(imagesDir)
  expect(await readdir(imagesDir)).toEqual([name])
  expect(await readFile(join(imagesDir, name, 'svcd.mjs'), 'utf8')).toBe('a program')
})
