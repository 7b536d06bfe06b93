import { constants } from 'node:fs'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { systemDisk, type Disk } from '../../files/disk/disk.ts'
import { logFile } from './log-file.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-log-file-'))))
afterEach(() => removeFolder(folder))

type Open = Disk['open']

/** The system's disk; `change` alters the behaviour of its handles. */
const diskWith = (change: (handle: Awaited<ReturnType<Open>>, flags: number) => void): Disk => ({
  ...systemDisk,
  open: async (path, flags, mode) => {
    const handle = await systemDisk.open(path, flags, mode)
    change(handle, Number(flags))
    return handle
  },
})

test('bytes are durable when they are appended: by the flag of the file, or by a sync after each write', async () => {
  const steps: string[] = []
  const disk = diskWith((handle, flags) => {
    const isSynced = (flags & (constants.O_DSYNC ?? 0)) !== 0
    const { write, datasync } = handle
    handle.write = ((...given: unknown[]) => {
      steps.push(isSynced ? 'durable' : 'write')
      return Reflect.apply(write, handle, given) as unknown
    }) as typeof write
    handle.datasync = () => {
      if (steps.at(-1) === 'write') steps[steps.length - 1] = 'durable'
      return datasync.call(handle)
    }
  })
  const path = join(folder, 'log')
  const file = logFile({ path, disk })
  await file.append(Buffer.from('one '))
  await file.append(Buffer.from('two'))
  await file.close()

  expect(steps).toEqual(['durable', 'durable'])
  expect(await readFile(path, 'utf8')).toBe('one two')
})

test('a disk that takes a few bytes at a time gets all of them', async () => {
  const disk = diskWith((handle) => {
    const { write } = handle
    handle.write = ((bytes: Buffer, at = 0) =>
      Reflect.apply(write, handle, [bytes, at, Math.min(3, bytes.length - at)]) as unknown) as never
  })
  const path = join(folder, 'log')
  const file = logFile({ path, disk })
  await file.append(Buffer.from('twelve bytes'))
  await file.close()

  expect(await readFile(path, 'utf8')).toBe('twelve bytes')
})

test('nothing is left of bytes that could not be appended whole', async () => {
  let isFull = false
  const disk = diskWith((handle) => {
    const { write } = handle
    handle.write = (async (bytes: Buffer, at = 0) => {
      if (isFull && at > 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
      return Reflect.apply(write, handle, [bytes, at, isFull ? 2 : bytes.length - at]) as unknown
    }) as never
  })
  const path = join(folder, 'log')
  const file = logFile({ path, disk })
  await file.append(Buffer.from('one '))
  isFull = true
  await expect(file.append(Buffer.from('two '))).rejects.toMatchObject({ code: 'storage_full' })
  isFull = false
  await file.append(Buffer.from('three'))
  await file.close()

  expect(await readFile(path, 'utf8')).toBe('one three')
})

test('a log is replaced when all of its new bytes have come, and stays as it was if they do not', async () => {
  const path = join(folder, 'log')
  const file = logFile({ path, disk: systemDisk })
  await file.append(Buffer.from('old'))
  async function* parts(isWhole: boolean) {
    yield Buffer.from('new ')
    expect(await readFile(path, 'utf8')).toBe('old')
    if (!isWhole) throw new Error('no more')
    yield Buffer.from('bytes')
  }
  await expect(file.replace(parts(false))).rejects.toThrow('no more')
  expect(await readFile(path, 'utf8')).toBe('old')
  await file.replace(parts(true))
  expect(await readFile(path, 'utf8')).toBe('new bytes')
  await file.close()
  expect(await readdir(folder)).toEqual(['log'])
})
