import { collectGarbage } from '@svc/shared/kit/collect-garbage.ts'
import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { expect, test } from 'vitest'
import { NoteDocument } from '../note-document.ts'
import { openTextLimit, OpenTexts } from './open-texts.ts'
import { textInTurns } from './text-in-turns.ts'

const { maxOpenText } = liveLimits
const tooMany = expect.objectContaining({ code: 'too_many_requests' })

/** A vault with open notes of these sizes, none of which is used. */
function vaultOf(...sizes: number[]) {
  const open = [...sizes]
  return {
    open,
    size: () => open.reduce((sum, size) => sum + size, 0),
    closeIdle: () => open.shift(),
    forgetUpdates: () => 0,
  }
}

test('closes notes that nobody uses, of any vault, until a text has room', () => {
  const texts = new OpenTexts()
  const [one, other] = [vaultOf(maxOpenText / 2), vaultOf(maxOpenText / 4, maxOpenText / 4)]
  texts.add(one)
  texts.add(other)
  texts.reserve(maxOpenText / 2)()
  expect([one.open, other.open]).toEqual([[], [maxOpenText / 4, maxOpenText / 4]])
  texts.reserve(maxOpenText * 0.6)()
  expect(other.open).toEqual([maxOpenText / 4])
})

test('refuses a text without room, and counts those that are being opened', () => {
  const texts = new OpenTexts()
  texts.add({ size: () => maxOpenText / 2, closeIdle: () => undefined, forgetUpdates: () => 0 })
  const opened = texts.reserve(maxOpenText / 2)
  expect(() => texts.reserve(1)).toThrow(tooMany)
  opened()
  expect(() => texts.reserve(1)).not.toThrow()
  expect(() => texts.reserve(maxOpenText / 2 + 1)).toThrow(tooMany)
})

test('opens the first note whatever its size, and forgets vaults that were closed', () => {
  const texts = new OpenTexts()
  const vault = { size: () => maxOpenText, closeIdle: () => undefined, forgetUpdates: () => 0 }
  texts.add(vault)
  expect(() => texts.reserve(1)).toThrow(tooMany)
  texts.delete(vault)
  expect(() => texts.reserve(2 * maxOpenText)).not.toThrow()
})

test('an open text grows only into what the others leave, and only after idle notes were closed', () => {
  const texts = new OpenTexts(6_400)
  const others = { open: [2_000, 2_000], closeIdle: (): number | undefined => others.open.shift() }
  const kept = 1_000
  let own = 1_000
  texts.add({
    ...others,
    forgetUpdates: () => 0,
    size: () => others.open.reduce((sum, size) => sum + size, own + kept),
  })
  const grow = (size: number) => {
    texts.grow({ from: own, to: own + size })
    own += size
  }
  grow(1_000)
  expect(others.open).toEqual([2_000])
  grow(3_000)
  expect(others.open).toEqual([])
  expect(() => grow(1_000)).toThrow(tooMany)
  expect(() => grow(300)).not.toThrow()
  expect(() => grow(-2_000)).not.toThrow()
  expect(() => grow(1_000)).not.toThrow()
})

test('many small steps are counted too, a hundredth of the limit late', () => {
  const texts = new OpenTexts(6_400)
  let own = 1_000
  texts.add({ size: () => own + 1_000, closeIdle: () => undefined, forgetUpdates: () => 0 })
  const type = () => {
    for (; own < 10_000; own += 1) texts.grow({ from: own, to: own + 1 })
  }
  expect(type).toThrow(tooMany)
  expect(own).toBeLessThanOrEqual(5_400 + 64)
})

test('the only open text grows whatever its size', () => {
  const texts = new OpenTexts(100)
  texts.add({ size: () => 1_000, closeIdle: () => undefined, forgetUpdates: () => 0 })
  expect(() => texts.grow({ from: 1_000, to: 2_000 })).not.toThrow()
})

test('a text without room gets that of the latest updates, once no idle note is left', () => {
  const texts = new OpenTexts(6_400)
  const vault = { ...vaultOf(1_000), updates: 2_000 }
  texts.add({
    size: () => vault.size() + vault.updates + 3_000,
    closeIdle: vault.closeIdle,
    forgetUpdates() {
      const freed = vault.updates - 100
      vault.updates -= freed
      return freed
    },
  })
  texts.reserve(1_400)()
  expect([vault.open, vault.updates]).toEqual([[], 2_000])
  texts.reserve(3_300)()
  expect(vault.updates).toBe(100)
  expect(() => texts.reserve(3_301)).toThrow(tooMany)
})

test('a daemon with a small heap opens less', () => {
  const MB = 1024 ** 2
  expect([120 * MB, 255 * MB, 4096 * MB].map(openTextLimit)).toEqual([40 * MB, 85 * MB, maxOpenText])
  const texts = new OpenTexts(40 * MB)
  texts.add({ size: () => 1, closeIdle: () => undefined, forgetUpdates: () => 0 })
  expect(() => texts.reserve(40 * MB)).toThrow(tooMany)
  expect(() => texts.reserve(40 * MB - 1)).not.toThrow()
})

test.each([
  ['empty lines', '\n'],
  ['lines of one letter', 'x\n'],
  ['short lines', 'abc\n'],
  ['lines of ordinary length', `${'a'.repeat(39)}\n`],
  ['long lines', `${'a'.repeat(4000)}\n`],
])('a note of %s takes no more memory than its size says', async (_what, line) => {
  const before = inUse()
  const document = await openNote(line.repeat(4_000_000 / Math.max(line.length, 8)))
  // What else the process does meanwhile is less than the rest.
  expect(inUse() - before).toBeLessThan(document.size * 1.2)
})

const openNote = async (file: string) => new NoteDocument({ text: await textInTurns(file), file })

const inUse = () => {
  collectGarbage({ type: 'major' })
  return process.memoryUsage().heapUsed
}
