import { chmod, chown, link, lstat, mkdtemp, realpath, rename, symlink, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { verifies } from '../../../../test/requirements.ts'
import { createFileRoot } from '../file-root.ts'
import { writeNewFile } from '../durable-file.ts'
import { holdFile } from '../hold-file.ts'
import { inFolder, openOrMakeFolder } from '../open-folder.ts'
import { stageFile, stageFiles } from '../stage-file.ts'
import { systemDisk, type Disk } from './disk.ts'
import { accessOf, giveAccess } from './file-access.ts'
import { createLocalDisk } from './local-disk.ts'

let path: string
beforeEach(async () => {
  path = await realpath(await mkdtemp(join(tmpdir(), 'svc-access-')))
})
afterEach(() => removeFolder(path))

const disks = { 'a disk of this machine': createLocalDisk({ clock: systemClock }), 'any disk': systemDisk }
const rootOn = (disk: Disk) => createFileRoot({ path, disk, reservedBytes: 0, isLocal: disk !== systemDisk })
const modeOf = async (file: string) => (await lstat(file)).mode & 0o7777

test('bits that give rights of the owner are left out', () => {
  expect(accessOf({ uid: 1, gid: 2, mode: 0o106755 })).toEqual({ uid: 1, gid: 2, mode: 0o755 })
})

test.each(Object.entries(disks))('a staged file on %s gets permissions, also twice', async (_name, disk) => {
  const staged = await stageFile(rootOn(disk), Buffer.from('text'))
  const own = await modeOf(staged.path)
  await staged.give({ mode: 0o600 })
  expect(await modeOf(staged.path)).toBe(0o600)
  await staged.give({ mode: own })
  expect(await modeOf(staged.path)).toBe(own)
  await staged.discard()
})

test.each(['a link', 'a second name of a file elsewhere'])(
  'nothing is given to %s that has taken the name of a staged file',
  async (kind) => {
    verifies('notes.owner-kept')
    const victim = join(path, 'victim')
    await writeFile(victim, 'secret')
    await chmod(victim, 0o600)
    const staged = await stageFile(rootOn(systemDisk), Buffer.from('text'))
    await rename(staged.path, join(path, 'aside'))
    await (kind === 'a link' ? symlink : link)(victim, staged.path)
    await staged.give({ mode: 0o777 }).catch(() => {})
    expect(await modeOf(victim)).toBe(0o600)
    await staged.discard()
  },
)

test.each(['EPERM', 'EINVAL', 'ENOTSUP'])('an owner that may not be given (%s) is no failure', async (code) => {
  const asked: [number, number][] = []
  const file = await systemDisk.open(join(path, 'a'), 'wx', 0o644)
  const refusing = {
    ...file,
    fd: file.fd,
    chmod: (mode: number) => file.chmod(mode),
    chown: async (uid: number, gid: number) => {
      asked.push([uid, gid])
      throw Object.assign(new Error(code), { code })
    },
  }
  const { uid, gid } = await lstat(join(path, 'a'))
  await giveAccess(refusing, { uid: uid + 1, gid: gid + 1, mode: 0o640 })
  await file.close()
  // The group may be one that the daemon is in, even if it cannot give the file to somebody else.
  expect(asked).toEqual([
    [uid + 1, gid + 1],
    [uid, gid + 1],
  ])
  expect(await modeOf(join(path, 'a'))).toBe(0o640)
})

test('permissions come before the owner: of a file of somebody else, a process may not be able to change them', async () => {
  const asked: string[] = []
  const file = await systemDisk.open(join(path, 'a'), 'wx', 0o644)
  const { uid } = await lstat(join(path, 'a'))
  const asking = {
    ...file,
    fd: file.fd,
    chmod: async (_mode: number) => void asked.push('chmod'),
    chown: async (_uid: number, _gid: number) => void asked.push('chown'),
  }
  await giveAccess(asking, { uid: uid + 1, mode: 0o640 })
  await file.close()
  expect(asked).toEqual(['chmod', 'chown'])
})

/** Any disk that says what is done with files, in order. It has no links. A use of the number of a file is a stat. */
function tellingDisk() {
  const steps: string[] = []
  const disk: Disk = {
    ...systemDisk,
    link: async () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    },
    async open(...args) {
      const file = await systemDisk.open(...args)
      const told = new Set<PropertyKey>(['fd', 'chmod', 'writeFile', 'sync'])
      return new Proxy(file, {
        get(_file, key: keyof typeof file) {
          if (told.has(key)) steps.push(key === 'fd' ? 'stat' : String(key))
          const value = file[key]
          return typeof value === 'function' ? value.bind(file) : value
        },
      })
    },
  }
  return { disk, steps }
}

test('access is given before the content: the stat of a file that is not on a file server yet waits for it', async () => {
  const own = join(path, 'own.md')
  await writeFile(own, 'text')
  await chmod(own, 0o600)
  const { disk, steps } = tellingDisk()
  const root = rootOn(disk)
  await inFolder(openOrMakeFolder(root, ['.svc', 'tmp']), async () => {})
  steps.length = 0
  const held = join(path, '.svc', 'tmp', 'held')
  await holdFile(root, own, held)
  expect([steps, await modeOf(held)]).toEqual([['stat', 'writeFile', 'sync'], 0o600])

  const staged = await stageFiles(root)
  steps.length = 0
  const { name } = await staged.add({ content: Buffer.from('text'), access: { mode: 0o640 } })
  expect([steps, await modeOf(join(path, '.svc', 'tmp', name))]).toEqual([
    ['stat', 'chmod', 'writeFile', 'sync'],
    0o640,
  ])
  await staged.discard()

  steps.length = 0
  await writeNewFile({ path: join(path, 'new'), content: 'text', disk })
  expect(steps).toEqual(['writeFile', 'sync'])
})

test('a folder that is not empty is not taken for a new one', async () => {
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(path, 54_321, 54_322)
  const own = await lstat(path)
  // Somebody swaps the new folder for one with content before it is opened.
  const disk: Disk = {
    ...systemDisk,
    mkdir: async (made) => {
      await mkdir(made)
      if (made.endsWith('swapped')) await writeFile(join(made, 'content'), '')
    },
  }
  for (const name of ['new', 'swapped']) await inFolder(openOrMakeFolder(rootOn(disk), [name]), async () => {})
  expect((await lstat(join(path, 'new'))).uid).toBe(own.uid)
  expect((await lstat(join(path, 'swapped'))).uid).toBe(process.getuid?.())
})
