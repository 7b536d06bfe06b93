import { liveLimits } from '@svc/shared/wire/daemon/live-messages.ts'
import { expect, test } from 'vitest'
import { OpenTexts } from './open-texts.ts'

const { maxOpenText } = liveLimits
const tooMany = expect.objectContaining({ code: 'too_many_requests' })

/** A vault with open notes of these sizes, none of which is used. */
function vaultOf(...sizes: number[]) {
  const open = [...sizes]
  return { open, size: () => open.reduce((sum, size) => sum + size, 0), closeIdle: () => open.shift() }
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
  texts.add({ size: () => maxOpenText / 2, closeIdle: () => undefined })
  const opened = texts.reserve(maxOpenText / 2)
  expect(() => texts.reserve(1)).toThrow(tooMany)
  opened()
  expect(() => texts.reserve(1)).not.toThrow()
  expect(() => texts.reserve(maxOpenText / 2 + 1)).toThrow(tooMany)
})

test('opens the first note whatever its size, and forgets vaults that were closed', () => {
  const texts = new OpenTexts()
  const vault = { size: () => maxOpenText, closeIdle: () => undefined }
  texts.add(vault)
  expect(() => texts.reserve(1)).toThrow(tooMany)
  texts.delete(vault)
  expect(() => texts.reserve(2 * maxOpenText)).not.toThrow()
})
