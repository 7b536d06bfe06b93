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

test('files that the daemon itself has removed since they were found missing are not missing', async () => {
  verifies('watch.nothing-lost')
  const manifest = new Manifest()
  const paths = Array.from({ length: 20 }, (_, number) => `folder/${number}.md`)
  for (const path of [...paths, 'gone.md', 'here.md']) manifest.putFile({ path, stamp, facts: undefined })
  const seen: object[] = []
  const judge = (counts: object) => (seen.push(counts), 'few' as const)
  const missing = createMissingFiles({ manifest, doubt: { judge } })

  const gone = [...paths, 'gone.md']
  for (const path of paths) manifest.removeFile(path)
  expect((await missing.judge({ gone, arrived: [], pause })).leaving).toEqual(['gone.md'])
  expect(seen).toEqual([{ missing: 1, known: 2 }])
})
