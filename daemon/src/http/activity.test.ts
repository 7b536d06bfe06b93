import { expect, test } from 'vitest'
import { createActivity } from './activity.ts'

test('activity lasts as long as its longest request, and idle time begins with its end', () => {
  let now = 0
  const activity = createActivity({ monotonic: () => now })
  const before = activity.report()
  expect(before).toMatchObject({ inProgress: 0, idleMs: 0 })

  now = 10_000
  expect(activity.report()).toEqual({ ...before, idleMs: 10_000 })
  const endFirst = activity.begin()
  const endSecond = activity.begin()
  now = 20_000
  expect(activity.report()).toMatchObject({ inProgress: 2, idleMs: 0 })
  expect(activity.report().sequence).not.toBe(before.sequence)

  endFirst()
  endFirst() // a response closes once; a second call changes nothing
  expect(activity.report()).toMatchObject({ inProgress: 1, idleMs: 0 })
  endSecond()
  now = 21_500
  expect(activity.report()).toMatchObject({ inProgress: 0, idleMs: 1_500 })
})

test('a daemon that was restarted has another sequence', () => {
  const clock = { monotonic: () => 0 }
  expect(createActivity(clock).report().sequence).not.toBe(createActivity(clock).report().sequence)
})
