import { expect, it } from 'vitest'
import { steppedClock } from '../../test/support/stepped-clock.ts'
import { createLog } from './log.ts'
import { repeat } from './repeat.ts'

it.each([
  ['at_once', [1, 2, 3]],
  ['after_interval', [0, 1, 2]],
] as const)('a task that begins %s runs after each interval, failed or not, until it is closed', async (first, ran) => {
  const { sleep, pass } = steppedClock()
  const turns = () => new Promise((resolve) => setImmediate(resolve))
  const step = () => (pass(), turns())
  const lines: string[] = []
  const log = createLog({ service: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } })
  let runs = 0
  const task = async () => {
    runs += 1
    throw new Error('broken')
  }
  const { start, close } = repeat({ everyMs: 1_000, task, first, clock: { sleep }, log, name: 'a task' })
  start()
  start()
  await turns()
  const seen = [runs]
  for (let i = 0; i < 2; i += 1) {
    await step()
    seen.push(runs)
  }
  expect(seen).toEqual(ran)
  expect(lines).toHaveLength(runs)
  await close()
  await step()
  expect(runs).toBe(ran[2])
})
