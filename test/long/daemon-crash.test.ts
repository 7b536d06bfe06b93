import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { crashRounds } from '../support/crash-rounds.ts'

const KILLS = 50
// Six runs make 300 kills; each has its own home and can be repeated alone by its name.
const SEEDS = [1, 2, 3, 4, 5, 6]

test.each(SEEDS)(
  `${KILLS} kills under load lose nothing that was acknowledged, with seed %i`,
  async (seed) => {
    verifies('notes.durable', 'audit.intent')
    const acknowledged = await crashRounds({ kills: KILLS, seed })
    console.log(`seed ${seed}: ${KILLS} kills, ${acknowledged} acknowledged changes, none lost`)
    expect(acknowledged).toBeGreaterThan(KILLS)
  },
  1_200_000,
)
