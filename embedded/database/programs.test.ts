import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../test/requirements.ts'
import { publishPrograms } from './programs.ts'

let base: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-programs-'))
})
afterEach(async () => {
  await rm(base, { recursive: true, force: true })
})

test('a copy that a power cut has damaged is made again, and a whole one is left alone', async () => {
  verifies('embedded.power-cut')
  const [packaged, shared] = [join(base, 'package/native'), join(base, 'shared')]
  await mkdir(join(packaged, 'bin'), { recursive: true })
  await mkdir(join(packaged, 'lib'))
  await writeFile(join(base, 'package/package.json'), JSON.stringify({ version: '1.0.0' }))
  await writeFile(join(packaged, 'bin/postgres'), 'a program')
  await writeFile(join(packaged, 'lib/libpq.so.5'), 'a library')
  await symlink('libpq.so.5', join(packaged, 'lib/libpq.so'))

  const copy = await publishPrograms(packaged, shared)
  for (const damage of [
    () => truncate(join(copy, 'bin/postgres'), 0),
    () => rm(join(copy, 'lib/libpq.so')),
    () => rm(join(copy, 'lib'), { recursive: true }),
  ]) {
    await damage()
    expect(await publishPrograms(packaged, shared)).toBe(copy)
    expect(await readFile(join(copy, 'bin/postgres'), 'utf8')).toBe('a program')
    expect(await readFile(join(copy, 'lib/libpq.so'), 'utf8')).toBe('a library')
    expect(await readdir(shared)).toEqual(['programs-1.0.0'])
  }

  await writeFile(join(copy, 'bin/postgres'), 'same size')
  await publishPrograms(packaged, shared)
  expect(await readFile(join(copy, 'bin/postgres'), 'utf8')).toBe('same size')
})
