import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements.ts'
import { Manifest } from '../manifest.ts'
import { createMissingFiles } from './missing-files.ts'

const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const pause = async () => {}

test('a note that was seen twice at its new path accounts for one missing note', async () => {
  verifies('watch.nothing-lost')
  const manifest = new Manifest()
  const put = (path: string) =>
    manifest.putFile({ path, stamp, facts: { kind: 'note', baseline: '', title: '', blob: 'the same' } })
  for (const path of ['old/1.md', 'old/2.md']) put(path)
  const missing = createMissingFiles({ manifest, doubt: { judge: () => 'held' } })

  const arrived = await missing.newAmong(['new/1.md', 'new/1.md', 'old/1.md'], pause)
  expect(arrived).toEqual(['new/1.md'])
  put('new/1.md')
  const { leaving } = await missing.judge({ gone: ['old/1.md', 'old/2.md'], arrived, pause })
  expect(leaving).toEqual(['old/1.md'])
})
