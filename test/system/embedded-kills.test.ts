import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { installationKillCases, runKillCase } from '../support/installation-kill-cases.ts'

const EVERY = 6
const names = Object.keys(installationKillCases) as (keyof typeof installationKillCases)[]

test.each(names)('%s, killed between any two of its steps, leaves a start that works or says how', async (name) => {
  verifies('embedded.kills')
  const first = Math.floor(Math.random() * EVERY) + 1
  const changes = await runKillCase(name, (count) =>
    Array.from({ length: count }, (_, index) => index + 1).filter((step) => step % EVERY === first % EVERY),
  )
  expect(changes).toBeGreaterThan(EVERY)
})
