import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { slices } from './slices.ts'

/** Keeps the event loop busy. */
function work(ms: number): void {
  const since = systemClock.monotonic()
  while (systemClock.monotonic() - since < ms);
}

/** Runs work and returns the number of pieces of it in each turn of the event loop. */
async function piecesByTurn(run: (piece: () => void) => Promise<unknown>): Promise<number[]> {
  const turns = [0]
  let isOver = false
  const counting = (async () => {
    for (; !isOver; turns.push(0)) await setImmediate()
  })()
  await run(() => void turns[turns.length - 1]!++)
  isOver = true
  await counting
  return turns
}

test('many short pieces of work that follow each other give way like a long one', async () => {
  const turns = await piecesByTurn(async (piece) => {
    for (let number = 0; number < 40; number++) {
      const pause = slices()
      work(3)
      piece()
      await pause()
    }
  })
  expect(turns.reduce((sum, pieces) => sum + pieces)).toBe(40)
  expect(Math.max(...turns)).toBeLessThanOrEqual(3)
})

test('pieces of work that pause at the same time go on in turns of their own', async () => {
  const turns = await piecesByTurn((piece) =>
    Promise.all(
      Array.from({ length: 6 }, async () => {
        const pause = slices()
        for (let number = 0; number < 5; number++) {
          await pause()
          work(9)
          piece()
        }
      }),
    ),
  )
  expect(turns.reduce((sum, pieces) => sum + pieces)).toBe(30)
  // All begin in the first turn.
  expect(Math.max(...turns.slice(1))).toBe(1)
})

test('a pause after the signal rejects', async () => {
  const ending = new AbortController()
  const pause = slices(ending.signal)
  ending.abort(new Error('closed'))
  const goOn = async () => {
    for (;;) {
      work(3)
      await pause()
    }
  }
  await expect(goOn()).rejects.toThrow('closed')
})
