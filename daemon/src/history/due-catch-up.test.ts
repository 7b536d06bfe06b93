import { expect, test } from 'vitest'
import { createDueCatchUp } from './due-catch-up.ts'

const PAUSE_MS = 1_000

function setUp() {
  let nowMs = 0
  const dueCatchUp = createDueCatchUp({ clock: { monotonic: () => nowMs }, pauseMs: PAUSE_MS, isNew: true })
  const pass = (ms: number) => void (nowMs += ms)
  /** Runs a comparison during which something happens; returns what it got. */
  const compare = async (isComplete: boolean, meanwhile = () => {}): Promise<string[]> => {
    let seen: string[] = []
    await dueCatchUp.run(async (seenGone) => {
      seen = [...seenGone]
      meanwhile()
      return isComplete
    })
    return seen
  }
  return { dueCatchUp, pass, compare }
}

test('a comparison is due when it is requested, until one was complete', async () => {
  const { dueCatchUp, pass, compare } = setUp()
  expect(dueCatchUp.isDue()).toBe(false)
  dueCatchUp.ask()
  expect(dueCatchUp.isDue()).toBe(true)
  await compare(false)
  expect(dueCatchUp.isDue()).toBe(false)
  pass(PAUSE_MS)
  expect(dueCatchUp.isDue()).toBe(true)
  await compare(true)
  pass(PAUSE_MS)
  expect(dueCatchUp.isDue()).toBe(false)
})

test('a request during a comparison makes another one due at once', async () => {
  const { dueCatchUp, compare } = setUp()
  dueCatchUp.ask()
  await compare(true, () => dueCatchUp.ask())
  expect(dueCatchUp.isDue()).toBe(true)
  await compare(true)
  expect(dueCatchUp.isDue()).toBe(false)
})

test('a change that is left out during a comparison makes another one due after the pause', async () => {
  const { dueCatchUp, pass, compare } = setUp()
  dueCatchUp.ask()
  await compare(true, () => dueCatchUp.leaveOut({ path: 'a.md', kind: 'changed' }))
  expect(dueCatchUp.isDue()).toBe(false)
  pass(PAUSE_MS)
  expect(dueCatchUp.isDue()).toBe(true)
})

test('a comparison gets the notes that were seen to be deleted, until one was complete', async () => {
  const { dueCatchUp, compare } = setUp()
  dueCatchUp.leaveOut({ path: 'gone.md', kind: 'deleted' })
  expect(dueCatchUp.isDue()).toBe(true)
  expect(await compare(false)).toEqual(['gone.md'])
  expect(await compare(true)).toEqual(['gone.md'])
  expect(await compare(true)).toEqual([])
})
