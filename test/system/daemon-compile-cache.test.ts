import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

describe.each([
  ['the packaged daemon', 'dist/bundle/svcd.mjs'],
  ['the daemon from its sources', 'bin/svcd.js'],
])('%s', (_name, program) => {
  /** Starts and stops a daemon without a compile cache of its own; returns its folders for temporary and cached files. */
  async function folders(prepare: (caches: string) => Promise<unknown> = async () => {}) {
    const base = await mkdtemp(join(folder, 'user-'))
    const [temporary, caches] = [join(base, 'tmp'), join(base, 'caches')]
    await mkdir(temporary)
    await mkdir(caches)
    await prepare(caches)
    const env = { NODE_COMPILE_CACHE: '', TMPDIR: temporary, XDG_CACHE_HOME: caches }
    const daemon = await startSvcd({ program: at(program), env })
    await daemon.remove()
    return { temporary, caches }
  }

  test('keeps what it compiled in the folder of its user, never where others could put code', async () => {
    verifies('security.compile-cache')
    const { temporary, caches } = await folders()
    expect(await readdir(temporary)).toEqual([])
    expect(await readdir(caches)).toEqual(['svcd'])
    expect((await stat(join(caches, 'svcd'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(caches, 'svcd'))).toHaveLength(1)
  })

  test('has no cache where others can write, or where there can be no folder', async () => {
    verifies('security.compile-cache')
    const shared = await folders(async (caches) => {
      await mkdir(join(caches, 'svcd'))
      await chmod(join(caches, 'svcd'), 0o777)
    })
    expect(await readdir(join(shared.caches, 'svcd'))).toEqual([])
    const blocked = await folders((caches) => writeFile(join(caches, 'svcd'), ''))
    expect(await readdir(blocked.temporary)).toEqual([])
  })
})
