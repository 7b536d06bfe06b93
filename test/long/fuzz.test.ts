import { expect, test } from 'vitest'
import { fuzz } from '../support/fuzz.ts'
import { fuzzTarget, fuzzTargetNames } from '../support/fuzz-targets.ts'

const CPU_MS = 60_000

// `npm run test:long -- fuzz/NAME` names targets here; without it all of them run.
const asked = process.env['SVC_TEST_FUZZ']?.split(',').map((name) => name.replace('fuzz/', ''))

test.each(asked ?? fuzzTargetNames)('fuzz/%s: 60 s of hostile input', { timeout: 600_000 }, async (name) => {
  const seed = Math.floor(Math.random() * 0x1_0000_0000)
  const run = await fuzz(await fuzzTarget(name), { cpuMs: CPU_MS, seed })
  console.log(
    `${name}: ${run.inputs} inputs from seed ${seed}, slowest ${run.slowestMs.toFixed(1)} ms of CPU, ` +
      `${(run.grownBytes / 1024).toFixed(0)} KiB left behind`,
  )
  expect(run.inputs).toBeGreaterThan(0)
})
