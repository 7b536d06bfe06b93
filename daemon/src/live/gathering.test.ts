import { expect, test } from 'vitest'
import { Gathering } from './gathering.ts'

/**
 * The times at which updates are sent that arrive at these times: at once if one may not wait, or when the first has
 * waited for as long as it may.
 */
function sentAt(times: readonly number[], longestMs: number): number[] {
  const gathering = new Gathering()
  const sent: number[] = []
  let goes = Infinity
  for (const now of times) {
    if (goes <= now) {
      sent.push(goes)
      goes = Infinity
    }
    goes = Math.min(goes, now + gathering.waitMs(now, longestMs))
    if (goes > now) continue
    sent.push(now)
    goes = Infinity
  }
  return goes === Infinity ? sent : [...sent, goes]
}

const every = (intervalMs: number, count: number) => Array.from({ length: count }, (_, nth) => nth * intervalMs)

test('nothing waits where nothing may', () => {
  expect(sentAt(every(4, 5), 0)).toEqual(every(4, 5))
})

test('an update that comes alone does not wait', () => {
  expect(sentAt(every(100, 4), 6)).toEqual(every(100, 4))
})

test('updates at an even pace go as soon as no other could still join them', () => {
  const gaps = (sent: number[]) => sent.slice(-6, -1).map((at, nth, all) => at - (all[nth - 1] ?? at))
  expect(gaps(sentAt(every(4, 200), 6))).toEqual([0, 8, 8, 8, 8])
  expect(gaps(sentAt(every(2, 200), 7))).toEqual([0, 8, 8, 8, 8])
})

test('no update waits for longer than it may, and as few go as in the longest time', () => {
  let seed = 1
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
  let now = 0
  const times = Array.from({ length: 2_000 }, () => (now += -4 * Math.log(random())))
  const sent = sentAt(times, 6)
  const waits = times.map((time) => sent.find((at) => at >= time)! - time)
  expect(Math.max(...waits)).toBeLessThanOrEqual(6.001)
  expect(sent.length).toBeLessThan(1_400)
})
