import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'

const module = new URL('../../daemon/src/status/late-compilers.ts', import.meta.url).href

// Prints the status of a function that was called often, before and after there was work: V8 sets bit 4 (16) when it
// optimizes a function (`kOptimized`), with either compiler.
const PROGRAM = `
import { setFlagsFromString } from 'node:v8'
import { createLateCompilers } from '${module}'
setFlagsFromString('--allow-natives-syntax')
const statusOf = new Function('f', 'return %GetOptimizationStatus(f)')
let cpu = 0
const compilers = createLateCompilers({ cpuMs: () => cpu, setFlag: setFlagsFromString, isStarting: () => false, beforeOn: async () => {}, clock: { monotonic: () => 0 } })
function sum(numbers) {
  let all = 0
  for (const number of numbers) all += number
  return all
}
const numbers = Array.from({ length: 500 }, (_, index) => index)
const isOptimized = async () => {
  for (let call = 0; call < 4000; call++) {
    sum(numbers)
    if (call % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    if ((statusOf(sum) & 16) !== 0) return true
  }
  return false
}
const before = await isOptimized()
cpu = 10_000
compilers.look()
let after = false
for (let round = 0; round < 200 && !after; round++) after = await isOptimized()
console.log(JSON.stringify([before, after]))
compilers.stop()
`

test('code is not optimized while a daemon rests, and is once it has worked', () => {
  verifies('daemon.late-compilers')
  const told = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' })
  expect(JSON.parse(told)).toEqual([false, true])
})
