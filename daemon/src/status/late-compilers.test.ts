import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLateCompilers } from './late-compilers.ts'

const OFF = expect.arrayContaining(['--no-opt', '--no-maglev']) as string[]
const ON = expect.arrayContaining(['--opt', '--maglev']) as string[]

function started({ beforeOn = async () => {} }: { beforeOn?: () => Promise<unknown> } = {}) {
  const flags: string[] = []
  let nowMs = 0
  let usedMs = 0
  let isStarting = false
  const compilers = createLateCompilers({
    cpuMs: () => usedMs,
    setFlag: (flag) => void flags.push(flag),
    isStarting: () => isStarting,
    beforeOn,
    clock: { monotonic: () => nowMs },
    timing: { lookMs: 3_600_000, restMs: 3_600_000 },
  })
  const off = flags.splice(0)
  return {
    off,
    flags,
    work(ms: number, cpu: number) {
      nowMs += ms
      usedMs += cpu
      compilers.look()
    },
    begins: () => void (isStarting = true),
    isOpen: () => void (isStarting = false),
    turnOn: compilers.turnOn,
    stop: compilers.stop,
  }
}

test('a daemon that rests after its start never turns the optimizing compilers on', () => {
  const { off, flags, work, stop } = started()
  work(1000, 900)
  for (let minute = 0; minute < 1000; minute++) work(60_000, 2000)
  expect([off, flags]).toEqual([OFF, []])
  stop()
})

test('the start of a large vault does not turn them on, and what it used does not count later', async () => {
  const { flags, work, begins, isOpen, stop } = started()
  begins()
  work(3000, 3000)
  isOpen()
  work(500, 500)
  work(500, 500)
  await nextTurn()
  expect(flags).toEqual([])
  work(2000, 2000)
  await nextTurn()
  expect(flags).toEqual(ON)
  stop()
})

test('a start that reads a vault turns them on while it does', async () => {
  const { flags, work, begins, stop } = started()
  begins()
  for (let half = 0; half < 10; half++) work(500, 500)
  await nextTurn()
  expect(flags).toEqual(ON)
  stop()
})

test('they are on at once when somebody knows that work is coming, and stay on', async () => {
  const { flags, work, turnOn, stop } = started()
  turnOn()
  turnOn()
  await nextTurn()
  work(3000, 3000)
  await nextTurn()
  expect(flags).toEqual(ON)
  stop()
})

test('a daemon that works turns them on, once', async () => {
  const { flags, work, stop } = started()
  work(500, 400)
  for (let half = 0; half < 10; half++) work(500, 300)
  await nextTurn()
  expect(flags).toEqual(ON)
  expect(new Set(flags).size).toBe(flags.length)
  stop()
})

test.each(['is loaded', 'cannot be loaded'])(
  'they are turned on when code that was compiled without them %s',
  async (how) => {
    const loading = Promise.withResolvers<void>()
    const { flags, work, stop } = started({ beforeOn: () => loading.promise })
    for (let half = 0; half < 10; half++) work(500, 300)
    await nextTurn()
    expect(flags).toEqual([])

    if (how === 'is loaded') loading.resolve()
    else loading.reject(new Error('no file'))
    await nextTurn()
    expect(flags).toEqual(ON)
    stop()
  },
)
