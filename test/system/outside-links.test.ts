import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SearchResult } from '@svc/shared/wire/daemon/daemon.api.ts'
import { verifies } from '../requirements.ts'
import { call, newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// Another program moves a folder of a vault away and leaves a link to it.

let home: string
let daemon: Svcd
beforeEach(async () => {
  home = await newHome()
  await mkdir(at('projects/deep'), { recursive: true })
  await writeFile(at('projects/plan.md'), 'heliotrope\n')
  await writeFile(at('projects/picture.png'), 'picture')
  await writeFile(at('projects/deep/more.md'), 'heliotrope\n')
  await writeFile(at('root.md'), 'See [[plan]].\n')
  daemon = await startSvcd({ home })
  await until('all is read', async () => (await call(daemon, '/api/ready')).status === 200)
})
afterEach(() => daemon.remove())

const at = (path: string) => join(home, 'vaults/v', path)
const elsewhere = (path: string) => join(home, 'elsewhere', path)
const api = (path: string, options?: Parameters<typeof call>[2]) => call(daemon, `/api/vaults/v${path}`, options)
const tree = async () => (await api('/tree?depth=9')).text
const found = async () => SearchResult.parse((await api('/search?q=heliotrope')).body).total

test('a folder that a link has replaced is gone with all its files, and comes back with the folder', async () => {
  verifies('watch.stored-names')
  expect(await found()).toBe(2)
  await rename(at('projects'), elsewhere(''))
  await symlink(elsewhere(''), at('projects'))
  await until('its files are gone', async () => !(await tree()).includes('projects'))
  expect(await found()).toBe(0)
  expect((await api('/links/root.md')).text).not.toContain('projects/plan.md')

  await writeFile(elsewhere('late.png'), 'late')
  expect((await api('/attachments/projects/late.png', { method: 'PUT', body: 'x' })).status).toBeGreaterThanOrEqual(400)
  await writeFile(at('seen.md'), 'seen\n')
  await until('a later change is seen', async () => (await tree()).includes('seen.md'))
  expect(await tree()).not.toContain('projects')

  await rm(at('projects'))
  await rename(elsewhere(''), at('projects'))
  await until('it is back', async () => (await found()) === 2)
  for (const name of ['late.png', 'picture.png', 'more.md']) expect(await tree()).toContain(name)
  await writeFile(at('projects/deep/more.md'), 'changed\n')
  await until('it is watched', async () => (await found()) === 1)
})

test('a folder that a link to itself has replaced is gone, and so is what is deleted after it', async () => {
  verifies('watch.stored-names')
  await rm(at('projects'), { recursive: true })
  await symlink('projects', at('projects'))
  await rm(at('root.md'))
  await until('all is gone', async () => !/projects|root\.md/.test(await tree()))
  expect(await found()).toBe(0)
})
