import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'

const module = new URL('../../daemon/src/status/late-compilers.ts', import.meta.url).href

const NATIVES = '--allow-natives-syntax'

// Calls a small function until V8 has optimized it, with either compiler: bit 4 (16, `kOptimized`) of its status is
// then set. `finish` waits for the compiling thread, so that the number of calls does not depend on how busy the machine is.
const START = `
import { setFlagsFromString } from 'node:v8'
import { createLateCompilers } from '${module}'
setFlagsFromString('${NATIVES}')
const statusOf = new Function('f', 'return %GetOptimizationStatus(f)')
const finish = new Function('%FinalizeOptimization()')
let cpu = 0
const compilers = createLateCompilers({ cpuMs: () => cpu, setFlag: setFlagsFromString, isStarting: () => false, beforeOn: async () => {}, clock: { monotonic: () => 0 } })
const turn = () => new Promise((resolve) => setImmediate(resolve))
async function turnOn() {
  cpu = 10_000
  compilers.look()
  await turn()
}
`

// Prints whether a function with a loop was optimized before there was work, and after.
const LOOP = `${START}
function sum(numbers) {
  let all = 0
  for (const number of numbers) all += number
  return all
}
const numbers = Array.from({ length: 500 }, (_, index) => index)
const isOptimized = () => {
  for (let call = 0; call < 4000; call++) {
    sum(numbers)
    finish()
    if ((statusOf(sum) & 16) !== 0) return true
  }
  return false
}
const before = isOptimized()
await turnOn()
console.log(JSON.stringify([before, isOptimized()]))
compilers.stop()
`

// Prints how many calls it took until a function without a loop was optimized, after 5,000 calls without the compilers.
const CALLS = `${START}
function size(a, b) {
  const all = [a, b, a].map(({ value, more }) => value * 2 + (more ?? 1))
  return { all, length: String(all[0]).length + a.value }
}
const call = () => size({ value: Math.random() }, { value: 2, more: 3 })
for (let calls = 0; calls < 5000; calls++) call()
await turnOn()
let calls = 0
for (; calls < 3000 && (statusOf(size) & 16) === 0; calls++) {
  call()
  finish()
}
console.log(calls)
compilers.stop()
`

const run = (program: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }))

test('code is not optimized while a daemon rests, and is once it has worked', () => {
  verifies('daemon.late-compilers')
  expect(run(LOOP)).toEqual([false, true])
})

test('code that was hot before is optimized soon after that', () => {
  expect(run(CALLS)).toBeLessThan(500)
})
