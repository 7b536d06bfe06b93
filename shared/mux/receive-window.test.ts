import { describe, expect, it } from 'vitest'
import { paceOf } from './pace.ts'
import { ReceiveWindow } from './receive-window.ts'

const KIB = 1024
const setUp = (left = 1024 * KIB) => {
  const budget = { left }
  return { budget, window: new ReceiveWindow({ initial: 64 * KIB, budget }) }
}

describe('a receive window', () => {
  it('grants nothing until half of it was read', () => {
    const { window } = setUp()
    window.accept(40 * KIB)
    expect(window.consume(31 * KIB, () => paceOf(1_000, 0))).toBe(0)
    expect(window.consume(1 * KIB, () => paceOf(1_000, 0))).toBe(32 * KIB)
  })

  it('knows a peer that sends more than it may', () => {
    const { window } = setUp()
    expect(window.accept(64 * KIB)).toBe(true)
    expect(window.accept(1)).toBe(false)
  })

  it('grows fourfold for a reader that empties it within a round trip, and stays for a slow one', () => {
    const { window } = setUp()
    window.accept(64 * KIB)
    window.consume(32 * KIB, () => paceOf(1_000, 0))
    expect(window.consume(32 * KIB, () => paceOf(1_200, 0))).toBe(32 * KIB)
    window.accept(64 * KIB)
    expect(window.consume(32 * KIB, () => paceOf(1_205, 0))).toBe(224 * KIB)
    expect(window.size).toBe(256 * KIB)
  })

  it('grows no further than the distance asks for, nor than the budget of its tunnel, which it gives back', () => {
    const { window, budget } = setUp(100 * KIB)
    for (let i = 0; i < 20; i += 1) {
      window.accept(32 * KIB)
      window.consume(window.size, () => paceOf(1_000, 0))
    }
    expect(window.size).toBe(164 * KIB)
    expect(budget.left).toBe(0)
    window.release()
    expect(budget.left).toBe(100 * KIB)
    expect([paceOf(0, 0).maxBytes, paceOf(0, 20).maxBytes, paceOf(0, 500).maxBytes]).toEqual([
      256 * KIB,
      1280 * KIB,
      8192 * KIB,
    ])
  })
})
