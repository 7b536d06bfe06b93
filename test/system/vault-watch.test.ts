import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { nothingMounted } from '../../daemon/src/files/mounted-folders.ts'
import { stampAt } from '../../daemon/src/watch/list-folder.ts'
import type { FileFacts } from '../../daemon/src/markdown/note-facts.ts'
import { Manifest } from '../../daemon/src/watch/manifest.ts'
import { createVaultWatch, type VaultWatch } from '../../daemon/src/watch/vault-watch.ts'
import type { Walk } from '../../daemon/src/watch/first-listing.ts'
import { walkVault } from '../../daemon/src/watch/walk-vault.ts'
import type { WatchMode } from '../../daemon/src/watch/watch-mode.ts'
import { verifies } from '../requirements.ts'
import { until } from '../support/until.ts'
import { removeFolder } from '../support/remove-folder.ts'

let root: string
let manifest: Manifest
let seen: VaultWatch
let logged: string[]
let isPresent = true
let confirmMs: number
let hintMs: number
let onRecheck: (path: string) => void
beforeEach(async () => {
  onRecheck = () => {}
  factsOf = () => attachment
  root = await mkdtemp(join(tmpdir(), 'svc-watch-'))
  isPresent = true
  undisturbed = async () => {}
  confirmMs = 50
  hintMs = 10
})
afterEach(async () => {
  await seen.close()
  await removeFolder(root)
})

async function start(mode: WatchMode, beginWatch?: typeof watch, walk?: Walk): Promise<void> {
  manifest = new Manifest()
  logged = []
  seen = createVaultWatch({
    root,
    manifest,
    mounted: nothingMounted,
    mode,
    clock: systemClock,
    log: createLog({ service: 'test', level: 'info', destination: { write: (line) => void logged.push(line) } }),
    onUnread() {},
    withRenames: (run) => run(),
    undisturbed: (run) => undisturbed().then(run),
    isPresent: async () => isPresent && existsSync(root),
    async recheck(path) {
      onRecheck(path)
      const stamp = await stampAt(join(root, path))
      if (stamp) manifest.putFile({ path, stamp, facts: factsOf(path) })
      else manifest.removeFile(path)
    },
    onFolder: (path, kind) => (kind === 'folder_created' ? manifest.putFolder(path) : manifest.removeFolder(path)),
    ...(beginWatch ? { beginWatch } : {}),
    timing: { hintMs, sweepMs: 3_600_000, pollMs: 30, confirmMs },
  })
  await seen.start(walk && { walk })
}

const attachment = { kind: 'attachment' } as const
let factsOf: (path: string) => FileFacts
let undisturbed: () => Promise<void>
const known = () => Array.from(manifest.files(), ({ path }) => path).toSorted()
async function write(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(join(root, folder), { recursive: true })
  for (const name of names) await writeFile(join(root, folder, name), name)
}
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.md`)

test('a whole vault that is exchanged at once, as by a checkout, is seen whole', async () => {
  verifies('watch.mass-changes')
  await write('a/b', names(300))
  await start('watch')
  await rm(join(root, 'a'), { recursive: true })
  await write('c/d/e', names(500))
  await write('', ['top.md'])
  const isNew = (path: string) => path === 'top.md' || path.startsWith('c/d/e/')
  await until('all is seen', async () => known().length === 501 && known().every(isNew))
  expect([manifest.hasFolder('a'), manifest.hasFolder('c/d/e')]).toEqual([false, true])
})

test('without watches left, the vault is polled, and one line says so', async () => {
  verifies('watch.polling')
  await write('a', ['1.md'])
  await write('b', ['2.md'])
  let left = 2
  await start('watch', ((...args: Parameters<typeof watch>) => {
    if (left-- > 0) return watch(...args)
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' })
  }) as typeof watch)
  await write('a', ['3.md'])
  await write('b', ['4.md'])
  await write('new/deep', ['5.md'])
  await until('all is seen', async () => known().length === 5)
  expect(logged.filter((line) => line.includes('polled'))).toHaveLength(1)
  expect(logged).toHaveLength(1)
})

test.each(['EACCES', 'ENOENT'])('a folder that cannot be watched, for %s, is watched once it can be', async (code) => {
  verifies('watch.polling')
  await write('open', ['1.md'])
  await write('shut', ['2.md'])
  let isShut = true
  await start('watch', ((...args: Parameters<typeof watch>) => {
    if (isShut && String(args[0]).endsWith('shut')) throw Object.assign(new Error(code), { code })
    return watch(...args)
  }) as typeof watch)
  await write('open', ['3.md'])
  await until('the others are watched', async () => known().length === 3)
  isShut = false
  await write('shut', ['4.md'])
  await write('open', ['5.md'])
  await until('it is tried again', async () => known().length === 5)
  await write('shut', ['6.md'])
  await until('it is watched itself', async () => known().length === 6)
  expect(logged).toEqual([])
})

test.each(['poll', 'watch'] as const)('in mode %s changes, renames and deletions are seen', async (mode) => {
  verifies('watch.polling')
  await write('a', names(3))
  await start(mode)
  await rename(join(root, 'a/n0.md'), join(root, 'moved.md'))
  await rm(join(root, 'a/n1.md'))
  await until('both are seen', async () => known().join() === 'a/n2.md,moved.md')
  expect(logged).toEqual([])
})

test('a watch that is closed looks at no further file', async () => {
  verifies('daemon.stops-at-once')
  await write('a', names(20))
  await start('off')
  await rm(join(root, 'a'), { recursive: true })
  await write('b', names(20))
  const looked: string[] = []
  onRecheck = (path) => {
    looked.push(path)
    void seen.close()
  }
  await seen.sweep()
  expect(looked).toHaveLength(1)
  expect(logged).toEqual([])
})

test('a change in a large folder is seen without listing the folder, and what happened to folders is seen too', async () => {
  verifies('watch.mass-changes')
  await write('a', names(5))
  await write('a/b', ['deep.md'])
  await start('watch')
  const looked = { listed: 0 }
  const { children } = manifest
  manifest.children = (folder) => {
    looked.listed++
    return children.call(manifest, folder)
  }
  await writeFile(join(root, 'a/n1.md'), 'longer than before')
  const sizeOf = (path: string) => manifest.file(path)?.stamp.size
  await until('the change is seen', async () => sizeOf('a/n1.md') === 18)
  await write('a', ['new.md'])
  await rm(join(root, 'a/n2.md'))
  await until('both are seen', async () => manifest.hasFile('a/new.md') && !manifest.hasFile('a/n2.md'))
  expect(looked.listed).toBe(0)

  await mkdir(join(root, 'other'))
  await writeFile(join(root, 'other/swapped.md'), 'x')
  await until('the new folder is seen', async () => manifest.hasFile('other/swapped.md'))
  await rename(join(root, 'a/b'), join(root, 'gone'))
  await rename(join(root, 'other'), join(root, 'a/b'))
  const moved = ['a/b/swapped.md', 'gone/deep.md']
  await until('folders that changed places are seen', async () => moved.every((path) => known().includes(path)))
  await until('none is seen twice', async () => known().length === 7 && !manifest.hasFolder('other'))
})

test('in mode off nothing is watched after the start', async () => {
  await write('a', names(3))
  await start('off')
  await write('a', ['later.md'])
  await seen.sweep()
  expect(known()).toContain('a/later.md')
})

test('a vault that is moved away while a sweep is at work loses nothing', async () => {
  verifies('watch.nothing-lost')
  await write('a', names(20))
  await start('off')
  const all = known()
  await rm(join(root, 'a/n3.md'))
  await writeFile(join(root, 'a/n5.md'), 'another text')
  // The watch rechecks the changed file after it has listed the folder and before it rechecks the missing file.
  onRecheck = () => renameSync(root, `${root}-away`)
  await seen.sweep()
  onRecheck = () => {}
  expect(known()).toEqual(all.filter((path) => path !== 'a/n5.md'))
  await rename(`${root}-away`, root)
  await seen.sweep()
  expect(known()).toEqual(all.filter((path) => path !== 'a/n3.md'))
})

test('a vault whose volume is away, or that is empty without its identity, keeps all that is known', async () => {
  verifies('watch.nothing-lost')
  await write('a', names(3))
  await start('poll')
  const all = known()
  await rename(root, `${root}-away`)
  await seen.sweep()
  expect(known()).toEqual(all)
  isPresent = false
  await mkdir(root)
  await seen.sweep()
  expect([await readdir(root), known()]).toEqual([[], all])
  await rm(root, { recursive: true })
  await rename(`${root}-away`, root)
  isPresent = true
  await rm(join(root, 'a'), { recursive: true })
  await until('a person deletes the last notes', async () => known().length === 0)
})

test('while it is not sure that many files are deleted, further missing files are kept, too', async () => {
  verifies('watch.nothing-lost')
  confirmMs = 3_600_000
  await write('', names(40))
  await start('off')
  const [first, second] = [names(13), names(30).slice(13)]
  for (const name of first) await rm(join(root, name))
  await seen.sweep()
  expect([known().length, logged.length]).toEqual([40, 1])
  for (const name of second) await rm(join(root, name))
  await seen.sweep()
  expect([known().length, logged.length]).toEqual([40, 1])
})

test('files that the daemon itself is removing with their folder are in no doubt', async () => {
  verifies('watch.nothing-lost')
  await write('folder', names(20))
  await write('', names(2))
  await start('off')
  const removed = known().filter((path) => path.startsWith('folder/'))
  expect(removed).toHaveLength(20)
  // The daemon publishes a removal after it, file by file.
  for (const path of removed.slice(13)) manifest.removeFile(path)
  undisturbed = async () => removed.forEach((path) => manifest.removeFile(path))
  await rm(join(root, 'folder'), { recursive: true })
  await seen.sweep()
  expect(logged).toEqual([])
  expect(known()).toEqual(names(2).toSorted())
})

test('a renamed folder with most of the notes is seen at once; further missing files are in doubt', async () => {
  verifies('watch.nothing-lost', 'history.renames')
  confirmMs = hintMs = 3_600_000
  factsOf = (path) => ({ kind: 'note', baseline: '', title: '', blob: readFileSync(join(root, path), 'utf8') })
  await start('off')
  await write('', ['top.md'])
  await write('old', names(28))
  await seen.sweep()

  await rename(join(root, 'old'), join(root, 'new'))
  await seen.sweep()
  const moved = names(28).map((name) => `new/${name}`)
  expect(known()).toEqual([...moved, 'top.md'].toSorted())
  expect([manifest.hasFolder('old'), logged]).toEqual([false, []])

  for (const name of names(14)) await rm(join(root, 'new', name))
  await rename(join(root, 'new/n20.md'), join(root, 'n20.md'))
  await seen.sweep()
  expect(known()).toEqual([...moved, 'top.md', 'n20.md'].filter((path) => path !== 'new/n20.md').toSorted())
  expect(logged).toHaveLength(1)
})

test('a renamed folder is seen as soon as it comes, though it was missing before', async () => {
  verifies('history.renames')
  confirmMs = hintMs = 3_600_000
  factsOf = (path) => ({ kind: 'note', baseline: '', title: '', blob: readFileSync(join(root, path), 'utf8') })
  await start('off')
  await write('old', names(28))
  await seen.sweep()
  await rename(join(root, 'old'), `${root}-aside`)
  await seen.sweep()
  expect([known().length, logged.length]).toEqual([28, 1])
  await rename(`${root}-aside`, join(root, 'new'))
  await seen.sweep()
  expect(known()).toEqual(
    names(28)
      .map((name) => `new/${name}`)
      .toSorted(),
  )
})

test('what changes while another process goes through the vault is seen', async () => {
  verifies('watch.mass-changes')
  await write('', names(20))
  await write('a/b', names(20))
  await start('watch', undefined, async (onFolders) => {
    onFolders([''])
    const walked = walkVault({ root, files: manifest.remembered() })
    await rm(join(root, 'n3.md'))
    await write('', ['late.md'])
    await write('a', ['late.md'])
    return walked
  })
  const expected = [...names(20).filter((name) => name !== 'n3.md'), 'late.md', 'a/late.md']
  const all = [...expected, ...names(20).map((name) => `a/b/${name}`)].toSorted()
  await until('all is seen', async () => JSON.stringify(known()) === JSON.stringify(all))
  await write('a/b', ['later.md'])
  await until('its folders are watched', async () => known().includes('a/b/later.md'))
  expect(logged).toEqual([])
})

test('a vault that another process could not go through is listed, and one line says so', async () => {
  await write('a', names(20))
  await start('watch', undefined, () => Promise.reject(new Error('no process')))
  expect(known()).toHaveLength(20)
  expect(logged.filter((line) => line.includes('no process'))).toHaveLength(1)
  await write('a', ['late.md'])
  await until('it is watched', async () => known().length === 21)
})

/** Writes a file into each of these folders, one after the other: only the watch of a folder reports such a change. */
async function eachIsWatched(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    await write(folder, ['late.md'])
    await until(`${folder} is watched`, async () => manifest.hasFile(`${folder}/late.md`))
  }
}

test('a folder that is removed and made again is watched again, with those below it', async () => {
  verifies('watch.replaced-folders')
  await write('a/b', names(3))
  await start('watch')
  rmSync(join(root, 'a'), { recursive: true })
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/b/again.md'), 'again')
  await until('the new content is seen', async () => known().join() === 'a/b/again.md')
  await eachIsWatched(['a', 'a/b'])
  expect(logged).toEqual([])
})

test('a folder that takes the place of another one is watched, with those below it', async () => {
  verifies('watch.replaced-folders')
  await write('a/b/c', ['old.md'])
  await write('a.new/b/c', ['new.md'])
  await start('watch')
  renameSync(join(root, 'a'), join(root, 'a.old'))
  renameSync(join(root, 'a.new'), join(root, 'a'))
  await until(
    'the folders are seen at their new places',
    async () => known().join() === 'a.old/b/c/old.md,a/b/c/new.md',
  )
  await eachIsWatched(['a/b/c', 'a.old/b/c', 'a/b', 'a.old/b', 'a', 'a.old'])
  expect(manifest.hasFolder('a.new')).toBe(false)

  // And one that is not at the root.
  await write('a/b/c.new', ['newer.md'])
  await until('it is seen', async () => known().includes('a/b/c.new/newer.md'))
  renameSync(join(root, 'a/b/c'), join(root, 'a/b/c.old'))
  renameSync(join(root, 'a/b/c.new'), join(root, 'a/b/c'))
  await until(
    'the swap is seen',
    async () => known().includes('a/b/c/newer.md') && known().includes('a/b/c.old/new.md'),
  )
  await eachIsWatched(['a/b/c', 'a/b/c.old'])
  await rm(join(root, 'a/b/c.old/late.md'))
  await until('nothing of one is taken for the other', async () => !known().includes('a/b/c.old/late.md'))
  expect(known()).toContain('a/b/c/late.md')
})

test('a folder that comes from elsewhere while its absence is in doubt is watched', async () => {
  verifies('watch.replaced-folders', 'watch.nothing-lost')
  confirmMs = 3_600_000
  await write('', ['top.md'])
  await write('a/b', names(30))
  await start('watch')
  await rm(join(root, 'a'), { recursive: true })
  await until('the doubt begins', async () => logged.some((line) => line.includes('many files are gone')))
  await write('a/b', names(30))
  await eachIsWatched(['a/b', 'a'])
  expect(known()).toHaveLength(33)
})

test('the folder of a vault that is replaced by a copy is watched', async () => {
  verifies('watch.replaced-folders')
  await write('a/b', ['1.md'])
  await start('watch')
  renameSync(root, `${root}-before`)
  await write('a/b', ['1.md', '2.md'])
  await seen.sweep()
  expect(known()).toEqual(['a/b/1.md', 'a/b/2.md'])
  await removeFolder(`${root}-before`)
  await eachIsWatched(['a/b', 'a'])
  await write('', ['top.md'])
  await until('the root is watched', async () => manifest.hasFile('top.md'))
})

test('a folder that only gets other rights is not compared as a whole', async () => {
  verifies('watch.replaced-folders')
  await write('a/b/c', names(3))
  await start('watch')
  const listed: string[] = []
  const { children } = manifest
  manifest.children = (folder) => {
    listed.push(folder)
    return children.call(manifest, folder)
  }
  await chmod(join(root, 'a'), 0o700)
  await until('the event is looked at', async () => listed.includes('a') && listed.includes(''))
  await write('a/b/c', ['last.md'])
  await until('the last change is seen', async () => manifest.hasFile('a/b/c/last.md'))
  expect(listed).not.toContain('a/b/c')
})
