import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { collectGarbage } from '@svc/shared/kit/collect-garbage.ts'
import { HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { foundNotesBeside } from '../../daemon/src/history/found/found-notes-process.ts'
import { openRepository } from '../../daemon/src/history/repository.ts'
import { verifies } from '../requirements.ts'
import { blobOf } from '../support/history.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { call, newHome, startSvcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'

// More notes than the daemon reads in its own process.
const NOTES = 600
const MB = 1024 * 1024

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-found-'))
})
afterEach(() => removeFolder(folder))

const git = (gitDir: string, ...args: string[]) =>
  execFileSync('git', [`--git-dir=${gitDir}`, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * MB,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
/** The notes in the history, with the object names of their contents. */
const committed = (gitDir: string): Record<string, string> =>
  Object.fromEntries(
    git(gitDir, 'ls-tree', '-r', '-z', 'main')
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2]!]),
  )

async function place() {
  const [root, gitDir] = [join(folder, 'vault'), join(folder, 'v.git')]
  const repository = openRepository({ gitDir, searchPath: process.env.PATH!, makeRoom: async () => {} })
  await repository.prepare()
  await mkdir(root)
  return { root, gitDir, searchPath: process.env.PATH!, maxNoteBytes: 10 * MB }
}

test('a process of its own reads notes, as many as fit, and passes them to git as they are', async () => {
  const at = await place()
  const bytes = { 'a.md': Buffer.from([0xff, 0, 13, 10]), 'b "ü".md': Buffer.from('two'), 'gone.md': Buffer.from('x') }
  for (const [path, content] of Object.entries(bytes)) await writeFile(join(at.root, path), content)
  const large = ['1.md', '2.md', '3.md']
  for (const path of large) await writeFile(join(at.root, path), Buffer.alloc(5 * MB, path))
  const signal = new AbortController().signal
  const found = foundNotesBeside(at, signal)

  const paths = ['a.md', 'no.md', 'b "ü".md', 'gone.md', 'left out.md']
  expect(await found.read(paths)).toEqual({ taken: 5, missing: ['no.md', 'left out.md'], bytes: 8 })
  const commit = { message: 'found\n', at: 1_700_000_000, gone: [] }
  await found.write({ ...commit, paths: ['a.md', 'b "ü".md', 'gone.md', 'no.md'], isFirst: true })
  expect(await found.read(large)).toEqual({ taken: 2, missing: [], bytes: 10 * MB })
  await found.write({ ...commit, paths: ['1.md'], gone: ['gone.md'], isFirst: false })
  await found.close()

  expect(Object.keys(committed(at.gitDir)).sort()).toEqual(['1.md', 'a.md', 'b "ü".md'])
  const stored = execFileSync('git', [`--git-dir=${at.gitDir}`, 'cat-file', 'blob', 'main:a.md'])
  expect(stored.equals(bytes['a.md'])).toBe(true)
  await expect(found.read(paths)).rejects.toThrow('ended')
})

test('the paths of a request are not kept once it is answered', async () => {
  const at = await place()
  const found = foundNotesBeside(at, new AbortController().signal)
  const readOnce = async () => {
    const paths = ['no.md']
    await found.read(paths)
    return new WeakRef(paths)
  }
  const first = await readOnce()
  await readOnce()
  await until('the paths are gone', () => {
    collectGarbage({ type: 'major' })
    return first.deref() === undefined
  })
  await found.close()
})

test('what git refuses, and a process that is given up, reject', async () => {
  const at = await place()
  await writeFile(join(at.root, 'a.md'), 'one')
  const giveUp = new AbortController()
  const found = foundNotesBeside(at, giveUp.signal)
  await found.read(['a.md'])
  const commit = { message: 'found\n', at: 1_700_000_000, gone: [], paths: ['a.md'] }
  await expect(found.write({ ...commit, isFirst: false })).rejects.toThrow('fast-import')
  giveUp.abort()
  await expect(found.read(['a.md'])).rejects.toThrow('ended')
  await found.close()
})

test('many notes that were changed, moved and deleted while no daemon ran are in the history as they are', async () => {
  verifies('service.history')
  const home = await newHome()
  const root = join(home, 'vaults/v')
  const pathOf = (number: number) => `f${number % 7}/note ${number}.md`
  for (let number = 0; number < NOTES; number++) {
    await mkdir(dirname(join(root, pathOf(number))), { recursive: true })
    await writeFile(join(root, pathOf(number)), `first ${number}\r\n`)
  }
  const gitDir = async () => {
    const histories = join(home, 'daemon/history')
    const [name] = (await readdir(histories).catch(() => [])).filter((one) => one.endsWith('.git'))
    return join(histories, name ?? 'none')
  }
  const onDisk = async () => {
    const all = (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.md'))
    return Object.fromEntries(
      await Promise.all(all.map(async (path) => [path, blobOf(await readFile(join(root, path), 'utf8'))])),
    )
  }
  const isAsOnDisk = async () => {
    const expected = await onDisk()
    const there = await gitDir()
      .then(committed)
      .catch((): Record<string, string> => ({}))
    return (
      Object.keys(expected).length === Object.keys(there).length &&
      Object.entries(expected).every(([path, blob]) => there[path] === blob)
    )
  }
  const running = async (run: () => Promise<unknown>) => {
    const daemon = await startSvcd({ home })
    try {
      await run()
      return daemon
    } finally {
      await daemon.stop()
    }
  }

  // A stop at any moment loses nothing, because the next start continues.
  await running(async () => {})
  await running(() => until('the first revisions are written', isAsOnDisk))

  for (let number = 0; number < NOTES - 20; number++) await writeFile(join(root, pathOf(number)), `second ${number}`)
  await rename(join(root, pathOf(NOTES - 1)), join(root, 'moved.md'))
  await rm(join(root, pathOf(NOTES - 2)))
  const daemon = await startSvcd({ home })
  try {
    await until('the changes are written', isAsOnDisk)
    const { revisions = [] } = HistoryAnswer.parse((await call(daemon, '/api/vaults/v/history/moved.md')).body)
    expect(revisions.map(({ author }) => author.id)).toEqual(['outside', 'outside'])
    expect(git(await gitDir(), 'log', '-1', '--format=%s', 'main').trim()).toBe('Changes made outside')
  } finally {
    await daemon.remove()
  }
})
