import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { clearUploads, newUpload } from './import-upload.ts'

test('what killed imports had received is removed, whatever else is there', async () => {
  verifies('archive.killed-import')
  const tmp = await mkdtemp(join(tmpdir(), 'svc-uploads-'))
  onTestFinished(() => rm(tmp, { recursive: true }))
  const folder = newUpload({ tmp })
  await mkdir(folder) // a file is expected: this cannot be removed
  for (const path of [newUpload({ tmp }), newUpload({ tmp }), join(tmp, 'import-of-mine.zip')])
    await writeFile(path, '')
  await clearUploads({ tmp })
  expect((await readdir(tmp)).toSorted()).toEqual([basename(folder), 'import-of-mine.zip'].toSorted())
  await clearUploads({ tmp: join(tmp, 'absent') })
})
