import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isFailure } from '@svc/shared/wire/errors.ts'
import { systemDisk, type Disk } from '../../daemon/src/files/disk/disk.ts'
import { createFileRoot, type FileRoot } from '../../daemon/src/files/file-root.ts'
import { clearStage, newName, stageFiles } from '../../daemon/src/files/stage-file.ts'
import { makeJointChange, type JointChange, type Step } from '../../daemon/src/journal/joint-change.ts'
import { recoverChanges } from '../../daemon/src/journal/recover-changes.ts'
import { verifies } from '../requirements.ts'
import { faultyDisk } from '../support/faulty-disk.ts'

type Files = Record<string, string>

const TRASH = '.svc/trash/k3-0a'
const before: Files = {
  'edit.md': 'old',
  // A name that our own API refuses, and that other programs make.
  'https%3A%2F%2Fexample.md': 'link',
  'away.md': 'gone',
  'from.md': 'moved',
  'follows.md': 'follows',
  'one.md': 'first',
  'two.md': 'second',
  'stays.md': 'stays',
  'moved/deep/only.md': 'only',
  'shared/theirs.md': 'theirs',
}
const after: Files = {
  'edit.md': 'new',
  'https%3A%2F%2Fexample.md': 'new link',
  'new/deep/made.md': 'made',
  'to/from.md': 'moved',
  'from.md': 'follows',
  'one.md': 'second',
  'two.md': 'first',
  'stays.md': 'stays',
  'back/deep/only.md': 'only',
  'shared/theirs.md': 'theirs',
  [`${TRASH}/entry.json`]: '{}',
  [`${TRASH}/content`]: 'gone',
}
const MAX_STEPS = 300

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-joint-'))
})
afterEach(() => rm(folder, { recursive: true }))

const rootOn = (disk: Disk): FileRoot => createFileRoot({ path: folder, disk, reservedBytes: 0 })

async function given(files: Files): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  await mkdir(join(folder, '.svc/tmp'), { recursive: true })
  for (const [path, content] of Object.entries(files)) await write(path, content)
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
}

/** Every file and folder, including drafts and intents. */
async function found(): Promise<Files> {
  const files: Files = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (entry.isFile()) files[path] = await readFile(join(folder, path), 'utf8')
    else if ((await readdir(join(folder, path))).length === 0 && path !== '.svc/tmp') files[`${path}/`] = ''
  }
  return files
}

/** Stages the change on a working disk; the change itself runs on a disk that may fail. */
async function staged() {
  const root = rootOn(systemDisk)
  const stage = await stageFiles(root)
  const identity = async (path: string) => {
    const { ino, size, mtimeMs } = await systemDisk.lstat(join(folder, path))
    return { ino, size, mtimeMs }
  }
  const content = async (text: string) => {
    const { name, stamp } = await stage.add({ content: Buffer.from(text) })
    const { ino, size, mtimeMs } = stamp
    return { staged: name, after: { ino, size, mtimeMs } }
  }
  const linked = async (path: string) => ({ staged: (await stage.link(path)).name, after: await identity(path) })
  const step = (path: string, more: Partial<Step>): Step => ({ path, held: newName(), staged: newName(), ...more })
  const change: JointChange = {
    format: 1,
    folders: [TRASH.slice(0, TRASH.lastIndexOf('/')), TRASH, 'new', 'new/deep', 'to', 'back', 'back/deep'],
    // A folder with files of somebody else stays.
    emptied: ['moved', 'moved/deep', 'shared'],
    steps: [
      step('edit.md', { before: await identity('edit.md'), ...(await content('new')) }),
      step('https%3A%2F%2Fexample.md', {
        before: await identity('https%3A%2F%2Fexample.md'),
        ...(await content('new link')),
      }),
      // One note takes the path of another, and two notes exchange their paths.
      step('from.md', { before: await identity('from.md') }),
      step('from.md', await linked('follows.md')),
      step('follows.md', { before: await identity('follows.md') }),
      step('one.md', { before: await identity('one.md') }),
      step('one.md', await linked('two.md')),
      step('two.md', { before: await identity('two.md') }),
      step('two.md', await linked('one.md')),
      step('to/from.md', await linked('from.md')),
      step('moved/deep/only.md', { before: await identity('moved/deep/only.md') }),
      step('back/deep/only.md', await linked('moved/deep/only.md')),
      step('new/deep/made.md', await content('made')),
      step('away.md', { before: await identity('away.md') }),
      step(`${TRASH}/entry.json`, await content('{}')),
      step(`${TRASH}/content`, await linked('away.md')),
    ],
  }
  return { change, discard: stage.discard }
}

test('a change of many files is made whole', async () => {
  verifies('changes.joint')
  await given(before)
  const { change, discard } = await staged()
  expect(await makeJointChange({ root: rootOn(systemDisk), change })).toBe(true)
  await discard()
  expect(await found()).toEqual(after)
  expect(await recoverChanges(rootOn(systemDisk))).toBe(false)
})

// Each errno tests other steps; together they cover every step.
const errnos = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EMFILE'].map((errno, index) => [errno, index] as const)

describe.each(errnos)('when the volume says %s', (errno, index) => {
  test('at one step, nothing has changed, or all', async () => {
    verifies('changes.joint', 'notes.volume-failures')
    const faulty = faultyDisk()
    let failures = 0
    for (let at = 1 + index; ; at += errnos.length) {
      await given(before)
      const { change, discard } = await staged()
      faulty.arm({ at, errno, lasts: 'once' })
      const made = await makeJointChange({ root: rootOn(faulty.disk), change }).catch((error: unknown) => error)
      const [hit] = faulty.heal()
      await discard()
      const where = `${errno} at step ${at} (${hit})`
      const now = await found()
      // A draft that cannot be removed now is removed at the next start.
      const mayLeaveDrafts = hit === 'rm' || (made === true && hit !== undefined)
      for (const path of Object.keys(now)) if (mayLeaveDrafts && path.startsWith('.svc/tmp/')) delete now[path]
      expect(now, where).toEqual(made === true ? after : before)
      if (hit === undefined) {
        expect(made).toBe(true)
        break
      }
      if (made !== true) {
        failures++
        expect(isFailure(made), `${where}: ${String(made)}`).toBe(true)
      }
      expect(at).toBeLessThan(MAX_STEPS)
    }
    expect(failures).toBeGreaterThan(5)
  })
})

test('killed at any step, the next start finds nothing of it or all', async () => {
  verifies('changes.joint')
  const faulty = faultyDisk()
  const ends = { made: 0, undone: 0 }
  for (let at = 1; ; at += 2) {
    await given(before)
    const { change, discard } = await staged()
    faulty.arm({ at, errno: 'EIO', lasts: 'on' })
    const made = await makeJointChange({ root: rootOn(faulty.disk), change }).catch(() => false)
    const [hit] = faulty.heal()
    await recoverChanges(rootOn(systemDisk))
    await clearStage(rootOn(systemDisk))
    await discard()
    const now = await found()
    const isMade = 'new/deep/made.md' in now
    expect(now, `killed at step ${at} (${hit})`).toEqual(isMade ? after : before)
    if (made) expect(isMade, `step ${at} (${hit})`).toBe(true)
    ends[isMade ? 'made' : 'undone']++
    if (hit === undefined) break
    expect(at).toBeLessThan(MAX_STEPS)
  }
  expect(ends.undone).toBeGreaterThan(20)
  expect(ends.made).toBeGreaterThan(1)
})

// Replacing a note is one rename, as in every save. A foreign file that appears at its path between the last check and
// that rename is not noticed. Before the last check, any change of the bytes must be noticed.
const saves = [
  ['edit.md', 'in place'],
  ['from.md', 'in place'],
  ['from.md', 'by renaming'],
  ['away.md', 'in place'],
  ['away.md', 'by renaming'],
] as const

test.each(saves)('when an editor saves %s %s before any step, its words stay', async (path, how) => {
  verifies('changes.joint')
  for (let at = 1; ; at += 3) {
    await given(before)
    const { change, discard } = await staged()
    let steps = 0
    let isSaved = false
    const save = async () => {
      if (!(await systemDisk.lstat(join(folder, path)).catch(() => undefined))) return
      isSaved = true
      const target = join(folder, how === 'in place' ? path : 'draft~')
      await writeFile(target, 'words of an editor')
      if (how === 'by renaming') await rename(target, join(folder, path))
    }
    const made = await makeJointChange({
      root: rootOn(watched(async () => (++steps === at ? save() : undefined))),
      change,
    })
    await discard()
    const now = await found()
    const where = `saved before step ${at}, made: ${made}`
    if (isSaved) expect(Object.values(now), where).toContain('words of an editor')
    if (!made) expect({ ...now, [path]: '' }, where).toEqual({ ...before, [path]: '' })
    if (steps < at) break
  }
})

/** A disk that calls `beforeStep` before every operation. */
function watched(beforeStep: () => Promise<void>): Disk {
  const steps = Object.entries(systemDisk).map(([name, run]) => [
    name,
    async (...args: unknown[]) => {
      await beforeStep()
      return (run as (...given: unknown[]) => Promise<unknown>)(...args)
    },
  ])
  return Object.fromEntries(steps) as Disk
}
