import { createLog } from '@svc/shared/kit/log.ts'
import { expect, test, vi } from 'vitest'
import { steppedClock } from '../../../test/support/stepped-clock.ts'
import type { SeenDaemon } from './connected-daemons.repository.ts'
import { createSeenDaemons } from './seen-daemons.ts'

const at = new Date('2026-01-01T00:00:00Z')
const log = createLog({ service: 'test', level: 'silent' })

test('the times of a second are written together, those of a daemon once, and the rest at the end', async () => {
  const written: SeenDaemon[][] = []
  const clock = steppedClock(at)
  const seen = createSeenDaemons({ write: async (daemons) => void written.push(daemons), clock, log })
  seen.start()
  seen.note('one', 7)
  seen.note('two', 8)
  seen.note('one')
  expect(written).toEqual([])
  clock.pass()
  await vi.waitFor(() => expect(written).toHaveLength(1))
  expect(written[0]).toEqual([
    { daemonId: 'one', keyId: 7, at },
    { daemonId: 'two', keyId: 8, at },
  ])

  seen.note('three')
  await seen.close()
  expect(written.slice(1)).toEqual([[{ daemonId: 'three', keyId: undefined, at }]])
})

test('many daemons are written in several statements', async () => {
  const sizes: number[] = []
  const seen = createSeenDaemons({ write: async ({ length }) => void sizes.push(length), clock: steppedClock(at), log })
  for (let nth = 0; nth < 1_201; nth += 1) seen.note(String(nth))
  await seen.close()
  expect(sizes).toEqual([500, 500, 201])
})

test('a database that is away does not hold up the end', async () => {
  const seen = createSeenDaemons({
    write: () => Promise.reject(new Error('is away')),
    clock: steppedClock(),
    log,
  })
  seen.note('one')
  await expect(seen.close()).resolves.toBeUndefined()
})
