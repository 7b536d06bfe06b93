import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { moveCases, moveFaults } from '../support/move-faults.ts'

// Testing every step of every move takes minutes, so test/long does that. Here each case starts at another step, so
// that together they cover most steps.
const STRIDE = 9

let faults: Awaited<ReturnType<typeof moveFaults>>
beforeAll(async () => {
  faults = await moveFaults()
})
afterAll(() => faults.close())

test.each(moveCases.map((move, index) => ({ ...move, first: 1 + 4 * index })))(
  'moving $name on a failing disk changes all or nothing',
  async ({ first, ...move }) => {
    verifies('links.move-crash', 'notes.volume-failures', 'audit.intent')
    expect(await faults.failOnce(move, { first, stride: STRIDE }, 'ENOSPC')).toBeGreaterThan(3)
    const { undone } = await faults.crash(move, { first: first + 2, stride: STRIDE })
    expect(undone).toBeGreaterThan(2)
  },
)
