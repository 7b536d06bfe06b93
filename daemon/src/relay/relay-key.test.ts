import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRelayKey, whyUnreadable } from './relay-key.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-key-'))
  await chmod(folder, 0o755)
})
afterEach(() => rm(folder, { recursive: true }))

const read = (path: string) => readRelayKey({ kind: 'file', path })
const whyNot = (path: string) => read(path).then(() => 'it was read', whyUnreadable)

/** Runs the work as a user to whom file permissions apply. */
async function asSomebody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid!() === 0
  if (isRoot) process.seteuid!(65534)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid!(0)
  }
}

test('a key is read from a file, or from a folder with its generation', async () => {
  await writeFile(join(folder, 'key'), 'svc_dmn_a\n')
  expect(await read(join(folder, 'key'))).toMatchObject({ generation: undefined })
  await mkdir(join(folder, 'mounted'))
  await writeFile(join(folder, 'mounted/token'), ' svc_dmn_b ')
  await writeFile(join(folder, 'mounted/generation'), '7')
  const { token, generation } = await read(join(folder, 'mounted'))
  expect([token.reveal(), generation]).toEqual(['svc_dmn_b', 7])
})

test('a key that cannot be had is named, with the reason', async () => {
  const path = join(folder, 'key')
  expect(await whyNot(path)).toBe(`SVC_RELAY_TOKEN_FILE does not exist: ${path}`)
  await writeFile(path, ' \n')
  expect(await whyNot(path)).toBe('SVC_RELAY_TOKEN_FILE is empty')
  await chmod(path, 0)
  const said = await asSomebody(() => whyNot(path))
  expect(said).toMatch(/^SVC_RELAY_TOKEN_FILE cannot be read by user \d+: .*key$/)
})
