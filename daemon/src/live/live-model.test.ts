import { describe, expect, it } from 'vitest'
import { runSessions } from '../../../test/support/live-model.ts'
import { verifies } from '../../../test/requirements.ts'

const RUNS = 150
// An outside edit was told as words without the blank behind them, and on top of a save that was not done.
const ONCE_WRONG = [11_215, 12_604]

describe('live sessions under delay, loss, outside edits, agents and kills', () => {
  it(`lose, double and tear no acknowledged word in ${RUNS} runs`, async () => {
    verifies('live.kill-loses-nothing', 'live.outside-enters', 'live.one-authority')
    for (const seed of [...ONCE_WRONG, ...Array.from({ length: RUNS }, (_, run) => run + 1)]) {
      const { problems } = await runSessions({ seed, steps: 60 })
      expect(problems, `seed ${seed}`).toEqual([])
    }
  })
})
