import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { moveCases, moveFaults } from '../support/move-faults.ts'

const EVERY = { first: 1, stride: 1 }
const TIMEOUT = 600_000

let faults: Awaited<ReturnType<typeof moveFaults>>
beforeAll(async () => {
  faults = await moveFaults()
})
afterAll(() => faults.close())

describe.each(moveCases)('moving $name', (move) => {
  test.each(['ENOSPC', 'EROFS', 'EIO', 'EACCES'])(
    '%s at every step changes all or nothing',
    { timeout: TIMEOUT },
    async (errno) => {
      verifies('links.move-crash', 'notes.volume-failures', 'audit.intent')
      expect(await faults.failOnce(move, EVERY, errno)).toBeGreaterThan(20)
    },
  )

  test('a crash at every step leaves all or nothing', { timeout: TIMEOUT }, async () => {
    verifies('links.move-crash')
    const { made, undone } = await faults.crash(move, EVERY)
    expect([made > 1, undone > 20]).toEqual([true, true])
  })
})
