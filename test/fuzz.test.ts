import { expect, test } from 'vitest'
import { verifies } from './requirements.ts'
import { fuzz, type FuzzTarget } from './support/fuzz.ts'
import { fuzzTarget, fuzzTargetNames } from './support/fuzz-targets.ts'

const SEED = 1
const CPU_MS = 1000

test.each(fuzzTargetNames)('%s stands hostile input', { timeout: 120_000 }, async (name) => {
  verifies('untrusted.fuzzed')
  const run = await fuzz(await fuzzTarget(name), { cpuMs: CPU_MS, seed: SEED })
  expect(run.inputs).toBeGreaterThan(0)
})

const broken = (call: (text: string) => unknown): FuzzTarget => ({
  name: 'broken',
  input: 'text',
  seeds: ['a=b'],
  words: ['=', '#'],
  call,
})
const budget = { cpuMs: 2000, seed: SEED }
// The longest inputs of the parser below take a hundred times what is allowed. A machine counts as up to ten times
// slower before its first measurement is warm.
const ROUNDS = 10

test('a crash is found and reported with its smallest input', async () => {
  const target = broken((text) => {
    if (text.includes('##')) throw new TypeError('two marks')
  })
  await expect(fuzz(target, budget)).rejects.toThrow('broken crashes (seed 1) on "##"')
})

test('a parser that is not linear is found', { timeout: 60_000 }, async () => {
  const quadratic = broken((text) => {
    let sum = 0
    for (let a = 0; a < text.length; a++) for (let b = 0; b < ROUNDS * text.length; b++) sum += b
    return sum
  })
  await expect(fuzz({ ...quadratic, maxLength: 32_768 }, budget)).rejects.toThrow(/broken stalls for \d+ ms/)
})

test('memory that is never given back is found', { timeout: 60_000 }, async () => {
  const kept: string[][] = []
  const leaking = broken((text) => kept.push(Array.from({ length: 2000 }, () => text)))
  await expect(fuzz(leaking, budget)).rejects.toThrow(/left \d+ bytes behind/)
})
