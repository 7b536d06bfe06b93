import { link, mkdir, mkdtemp, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { createFileRoot, type FileRoot } from '../files/file-root.ts'
import { clearStage, newName } from '../files/stage-file.ts'
import { carryOutMove } from './carry-out-move.ts'
import { moveIntent, type MoveIntent } from './move-intent.ts'
import { recoverAtStart, recoverChanges, UNFINISHED } from './recover-changes.ts'

let path: string
let root: FileRoot
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'svc-recover-'))
  root = createFileRoot({ path, disk: systemDisk, reservedBytes: 0 })
  await mkdir(join(path, '.svc/tmp'), { recursive: true })
})
afterEach(() => removeFolder(path))

const log = createLog({ service: 'test', level: 'fatal' })
const identity = async (name: string) => {
  const { ino, size, mtimeMs } = await systemDisk.lstat(join(path, name))
  return { ino, size, mtimeMs }
}

/** Names that our own API refuses. Other programs create such files, and the daemon knows them. */
const NAMES = [
  'https%3A%2F%2Fexample.md',
  'back\\slash.md',
  'line\nbreak.md',
  'a: b.md',
  ' blank .md',
  '__proto__.md',
  '語'.repeat(80) + '.md',
  `${'deep/'.repeat(900)}a.md`,
]

async function intentOf(names: readonly string[]): Promise<MoveIntent> {
  await writeFile(join(path, 'moved.md'), 'moved')
  const rewrites = []
  for (const name of names) {
    await writeFile(join(path, name), 'see [[moved]]')
    const staged = newName()
    await writeFile(join(path, '.svc/tmp', staged), 'see [[target]]')
    const after = await identity(`.svc/tmp/${staged}`)
    rewrites.push({ path: name, staged, held: newName(), before: await identity(name), after })
  }
  return { format: 1, from: 'moved.md', to: 'target.md', moved: (await identity('moved.md')).ino, rewrites }
}

test('an intent is read as it was written, whatever names it has', async () => {
  verifies('changes.recovered')
  const id = { ino: 2 ** 53, size: 0, mtimeMs: -372_988_800_500.5 }
  const rewrites = NAMES.map((name) => ({ path: name, staged: newName(), held: newName(), before: id, after: id }))
  for (const from of NAMES) {
    const intent: MoveIntent = { format: 1, from, to: 'b.md', moved: 1, rewrites }
    await moveIntent.write(root, intent)
    expect(await moveIntent.read(root)).toEqual(intent)
  }
})

test.each(['../x', '/etc/passwd', 'a/../../x', '.svc/vault.json', '.git/hooks/x', 'a//b', 'a\0b', ''])(
  'an intent that names %j is not written',
  async (from) => {
    const write = moveIntent.write(root, { format: 1, from, to: 'b.md', moved: 1, rewrites: [] })
    await expect(write).rejects.toThrow()
    expect(await readdir(join(path, '.svc'), { recursive: true })).toEqual(['tmp'])
  },
)

test('killed in the middle of a move, links of a note with any name are as before after the next start', async () => {
  verifies('changes.recovered')
  const names = NAMES.filter((name) => !name.includes('/'))
  const intent = await intentOf(names)
  // The target appears at the last moment, so the links are rewritten and nothing is moved. Then comes the kill.
  await writeFile(join(path, 'target.md'), 'of somebody else')
  await moveIntent.write(root, intent)
  expect(await carryOutMove({ root, intent })).toBe(false)
  expect(await readFile(join(path, names[0]!), 'utf8')).toBe('see [[target]]')

  expect(await recoverAtStart(root, log)).toBe(true)
  await clearStage(root)
  for (const name of names) expect(await readFile(join(path, name), 'utf8'), name).toBe('see [[moved]]')
  expect((await readdir(join(path, '.svc'))).toSorted()).toEqual(['tmp'])
})

const unreadable: [string, (file: string) => Promise<unknown>][] = [
  ['is cut off', (file) => writeFile(file, '{"format":1,"steps":[')],
  ['is empty', (file) => writeFile(file, '')],
  ['is of a newer version', (file) => writeFile(file, '{"format":2}')],
  ['names a file outside', (file) => writeFile(file, '{"format":1,"from":"../x","to":"b","moved":1,"rewrites":[]}')],
  ['is a link', (file) => symlink('/etc/passwd', file)],
  ['is a folder', (file) => mkdir(file)],
]

describe.each(['move.json', 'change.json'])('%s', (name) => {
  test.each(unreadable)('that %s loses no file that may be held for it', async (_case, make) => {
    verifies('changes.recovered')
    const held = newName()
    await writeFile(join(path, '.svc/tmp', held), 'the only copy')
    await make(join(path, '.svc', name))

    await expect(recoverChanges(root)).rejects.toMatchObject({ code: 'path_conflict' })
    expect(await readFile(join(path, '.svc/tmp', held), 'utf8')).toBe('the only copy')
    expect(await recoverAtStart(root, log)).toBe(true)
    await clearStage(root)
    const [aside] = (await readdir(join(path, '.svc'))).filter((one) => one.startsWith(UNFINISHED))
    expect((await readdir(join(path, '.svc', aside!))).toSorted()).toEqual([held, name].toSorted())
    expect(await readFile(join(path, '.svc', aside!, held), 'utf8')).toBe('the only copy')
    // From now on everything works again.
    expect(await recoverChanges(root)).toBe(false)
    expect(await recoverAtStart(root, log)).toBe(true)
    expect((await readdir(join(path, '.svc'))).filter((one) => one.startsWith(UNFINISHED))).toEqual([aside])
  })
})

test('a change that can be read is recovered even if another one cannot', async () => {
  const intent = await intentOf(['a.md'])
  await writeFile(join(path, 'target.md'), 'of somebody else')
  await moveIntent.write(root, intent)
  await carryOutMove({ root, intent })
  await writeFile(join(path, '.svc/change.json'), '{')
  expect(await recoverAtStart(root, log)).toBe(true)
  expect(await readFile(join(path, 'a.md'), 'utf8')).toBe('see [[moved]]')
  expect((await readdir(join(path, '.svc'))).filter((one) => one.endsWith('.json'))).toEqual([])
})

describe('a change that moved a note', () => {
  /** Only the new path has the note, as after all steps but the last. */
  async function moveNote() {
    await writeFile(join(path, 'new.md'), 'the note')
    const is = await identity('new.md')
    const [removed, placed] = [
      { path: 'old.md', held: newName(), staged: newName(), before: is },
      { path: 'new.md', held: newName(), staged: newName(), after: is },
    ]
    const intent = { format: 1, steps: [removed, placed], folders: [], emptied: [] }
    await writeFile(join(path, '.svc/change.json'), JSON.stringify(intent))
    return join(path, '.svc/tmp', removed.held)
  }
  const filesThere = async () => (await readdir(path)).filter((name) => name.endsWith('.md'))
  const inMeta = async () => (await readdir(join(path, '.svc'))).filter((name) => name !== 'tmp')

  test('is undone', async () => {
    verifies('changes.recovered')
    const held = await moveNote()
    await link(join(path, 'new.md'), held)
    expect(await recoverAtStart(root, log)).toBe(true)
    expect([await filesThere(), await inMeta()]).toEqual([['old.md'], []])
  })

  test('and was undone, but for its intent, is finished', async () => {
    verifies('changes.recovered')
    await moveNote()
    await rename(join(path, 'new.md'), join(path, 'old.md'))
    expect(await recoverChanges(root)).toBe(true)
    expect([await filesThere(), await inMeta()]).toEqual([['old.md'], []])
  })

  test('is not undone if what it held is gone: an older version has left it behind', async () => {
    verifies('changes.recovered')
    await moveNote()
    await expect(recoverChanges(root)).rejects.toMatchObject({ code: 'path_conflict' })
    expect(await recoverAtStart(root, log)).toBe(true)
    expect(await filesThere()).toEqual(['new.md'])
    const [aside, ...others] = await inMeta()
    expect(others).toEqual([])
    expect(await readdir(join(path, '.svc', aside!))).toEqual(['change.json'])
  })
})
