import { constants } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { createLocalDisk } from './local-disk.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-local-disk-'))))
afterEach(() => removeFolder(folder))

const ways = [
  { way: 'on the event loop', disk: createLocalDisk({ clock: systemClock }) },
  // With this clock, every operation is slow.
  { way: 'in a thread', disk: createLocalDisk({ clock: { monotonic: () => Math.floor(performance.now() * 1e6) } }) },
]

describe.each(ways)('steps $way', ({ disk }) => {
  test('contents of any kind are written whole', async () => {
    const large = Buffer.alloc(300_000, 'large')
    const contents = {
      text: 'é',
      bytes: Buffer.from('bytes'),
      large,
      stream: Readable.from([large, Buffer.from('end')]),
    }
    for (const [name, content] of Object.entries(contents)) {
      const file = await disk.open(join(folder, name), 'wx', 0o600)
      await file.writeFile(content)
      await file.sync()
      await file.close()
    }
    expect(await readFile(join(folder, 'text'), 'utf8')).toBe('é')
    expect(await readFile(join(folder, 'bytes'), 'utf8')).toBe('bytes')
    expect(await readFile(join(folder, 'large'))).toEqual(large)
    expect(await readFile(join(folder, 'stream'))).toEqual(Buffer.concat([large, Buffer.from('end')]))
  })

  test('what fails is told by the code of the system', async () => {
    const none = join(folder, 'none')
    await expect(disk.open(none, constants.O_RDONLY)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(disk.rename(none, join(folder, 'other'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(disk.mkdir(folder)).rejects.toMatchObject({ code: 'EEXIST' })
  })
})
