import { describe, expect, it } from 'vitest'
import { runSessions } from '../../../test/support/live-model.ts'
import { verifies } from '../../../test/requirements.ts'

const RUNS = 150

describe('live sessions under delay, loss, outside edits, agents and kills', () => {
  it(`lose, double and tear no acknowledged word in ${RUNS} runs`, async () => {
    verifies('live.kill-loses-nothing', 'live.outside-enters', 'live.one-authority')
    for (let seed = 1; seed <= RUNS; seed++) {
      const { problems } = await runSessions({ seed, steps: 60 })
      expect(problems, `seed ${seed}`).toEqual([])
    }
  })
})
