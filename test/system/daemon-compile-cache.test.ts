import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { call, startSvcd } from '../support/svcd.ts'
import { removeFolder } from '../support/remove-folder.ts'

const at = (path: string) => fileURLToPath(new URL(`../../daemon/${path}`, import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cache-'))
  await cp(at('dist/bundle'), join(folder, 'app'), { recursive: true })
  await mkdir(join(folder, 'home'))
})
afterAll(() => removeFolder(folder))

test('the compile cache of the image has all that a start and a first request load', async () => {
  verifies('daemon.image')
  const cache = join(folder, 'cache')
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: cache,
    SVC_HOME: join(folder, 'home'),
    SVC_LOG_LEVEL: 'error',
  }
  await promisify(execFile)(process.execPath, [join(folder, 'app/fill-cache.mjs')], { env })
  expect(await readdir(cache)).toHaveLength(1)

  const daemon = await startSvcd({
    program: join(folder, 'app/svcd.mjs'),
    env: { NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
  })
  try {
    for (const path of ['/api/vaults', '/api/vaults/demo-vault/notes/README.md'])
      expect((await call(daemon, path)).status).toBe(200)
    const looked = [...daemon.output().matchAll(/V8 code cache for \w+ file:\S+\/app\/(\S+) was ([\w ]+),/g)]
    expect(looked.map(([, file]) => file)).toContainEqual(expect.stringMatching(/^app-/))
    // `parent-channel` is only loaded because a test started this process; in a container it is not.
    const missed = looked.filter(([, file, verdict]) => verdict !== 'accepted' && !file!.startsWith('parent-channel'))
    expect(missed.map(([, file]) => file)).toEqual([])
  } finally {
    await daemon.remove()
  }
})
