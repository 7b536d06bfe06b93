import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { crashRounds } from '../support/crash-rounds.ts'

const KILLS = 300

test(`${KILLS} kills under load lose nothing that was acknowledged`, async () => {
  verifies('notes.durable', 'audit.intent')
  const acknowledged = await crashRounds(KILLS)
  console.log(`${KILLS} kills, ${acknowledged} acknowledged changes, none lost`)
  expect(acknowledged).toBeGreaterThan(KILLS)
}, 3_600_000)
