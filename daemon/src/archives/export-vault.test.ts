import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { looksOnEventLoop } from '../../../test/support/looks-on-event-loop.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { systemDisk } from '../files/disk/disk.ts'
import { createExportVault } from './export-vault.ts'

const exportVault = createExportVault({ log: createLog({ service: 'test', level: 'silent' }) })

test('an export that is given up while a file is opened closes it', async () => {
  verifies('archive.ended-export')
  const root = await mkdtemp(join(tmpdir(), 'svc-export-'))
  onTestFinished(() => removeFolder(root))
  // More than the streams between hold, so that it is not read to its end.
  await writeFile(join(root, 'film.png'), Buffer.alloc(1024 * 1024))
  const { open } = systemDisk
  const opening = vi.spyOn(systemDisk, 'open').mockImplementation(async (...file) => {
    const handle = await open(...file)
    output.destroy()
    await once(output, 'close')
    return handle
  })
  onTestFinished(() => opening.mockRestore())
  const output = exportVault({ id: 'v', layout: { root }, files: { isLocal: true } })
  await expect.poll(() => opening.mock.settledResults[0]?.type).toBe('fulfilled')
  const handle = await opening.mock.results[0]!.value
  await expect.poll(() => handle.fd).toBe(-1)
})

test.each([
  ['a network disk', { isLocal: false }, false],
  ['a local disk', { isLocal: true }, true],
])(
  'an export looks at files on the event loop if they are on a local disk, here on %s',
  async (_disk, files, expected) => {
    verifies('watch.remote-disk')
    const root = await mkdtemp(join(tmpdir(), 'svc-export-'))
    onTestFinished(() => removeFolder(root))
    await mkdir(join(root, 'folder'))
    await writeFile(join(root, 'folder/a.md'), 'a')
    const looks = looksOnEventLoop(root)
    onTestFinished(looks.stop)
    const archive = await buffer(exportVault({ id: 'v', layout: { root }, files }))
    expect([archive.includes('folder/a.md'), looks.paths.length > 0]).toEqual([true, expected])
  },
)
