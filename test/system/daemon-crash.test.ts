import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { isWhole, wholeText } from '../support/crash-load.ts'
import { crashRounds } from '../support/crash-rounds.ts'

const KILLS = 4

test('no kill loses an acknowledged change or its audit entry, tears a file or overwrites an outside edit', async () => {
  verifies('notes.durable', 'audit.intent')
  expect(await crashRounds(KILLS)).toBeGreaterThan(KILLS)
})

test('a torn text is told from a whole one', () => {
  const text = wholeText()
  expect([isWhole(text), isWhole(text.slice(0, -10)), isWhole(text.slice(0, 20)), isWhole('')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
