import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { prepareSwitch } from '../watch/prepared-switch.ts'
import { OutOfBudget, type SearchBudget } from './search-budget.ts'
import { createSearchRoom } from './search-room.ts'
import { createWalks } from './walk/walk-process.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import { SegmentPart } from './segment/segment-part.ts'
import { writeSegment } from './segment/write-segment.ts'

let folder: string
let index: SearchIndex

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-late-search-'))
  const file = join(folder, 'segment')
  const part = new SegmentPart({ target: join(folder, 'part'), poolBytes: 1 << 20 })
  const note = { path: 'flowers.md', title: 'Flowers', text: 'pansy violet', tags: [], properties: {} }
  const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
  part.addNote({ ...note, stamp, baseline: 'ab'.repeat(12), blob: 'cd'.repeat(20) })
  writeSegment(file, [part.finish()])
  index = createSearchIndex({
    root: folder,
    file,
    builds: { build: () => Promise.reject(new Error('the segment is there')) },
    walks: createWalks(),
    room: createSearchRoom(systemClock),
    clock: systemClock,
    log: createLog({ service: 'test', level: 'silent' }),
    compareFiles: async () => prepareSwitch({ takeOver: () => {}, switchOver: () => [] }),
    onRebuilt: () => {},
  })
  await index.open()
})
afterAll(async () => {
  await index.close()
  await removeFolder(folder)
})

/** Finds notes with two beginnings of words. The weights of such words change once more after the last pause. */
function search(pause: SearchBudget['pause']) {
  const must = ['pans', 'viol'].map((term) => ({ terms: [{ term, offset: 0 }], prefix: true }))
  return index.find({ query: { must, mustNot: [], filters: [] }, limit: 10, budget: { isLate: () => false, pause } })
}

test('what a search still does after its time is over changes nothing in the next one', async () => {
  // The first search shows how much memory is needed. From the second one on, the memory is kept.
  const whole = await search(() => undefined)
  expect(whole).toMatchObject({ found: [{ path: 'flowers.md' }], partial: false })
  expect(await search(() => undefined)).toEqual(whole)

  let goOn = () => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  let pauses = 0
  const late = await search(() => {
    pauses += 1
    if (pauses > 1) throw new OutOfBudget()
    return held
  })
  expect(late.partial).toBe(true)
  const next = await search(() => {
    goOn()
    return setImmediate()
  })
  expect(next).toEqual(whole)
})
