import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'

const module = new URL('../../daemon/src/status/late-compilers.ts', import.meta.url).href

const NATIVES = '--allow-natives-syntax'

// Calls a small function until V8 has optimized it, with either compiler: bit 4 (16, `kOptimized`) of its status is
// then set.
const START = `
import { setFlagsFromString } from 'node:v8'
import { createLateCompilers } from '${module}'
setFlagsFromString('${NATIVES}')
const statusOf = new Function('f', 'return %GetOptimizationStatus(f)')
let cpu = 0
const compilers = createLateCompilers({ cpuMs: () => cpu, setFlag: setFlagsFromString, isStarting: () => false, beforeOn: async () => {}, clock: { monotonic: () => 0 } })
const turn = () => new Promise((resolve) => setImmediate(resolve))
const wait = () => new Promise((resolve) => setTimeout(resolve, 10))
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
const isOptimized = async () => {
  for (let call = 0; call < 4000; call++) {
    sum(numbers)
    if (call % 500 === 0) await turn()
    if ((statusOf(sum) & 16) !== 0) return true
  }
  return false
}
const before = await isOptimized()
await turnOn()
let after = false
for (let round = 0; round < 200 && !after; round++) after = await isOptimized()
console.log(JSON.stringify([before, after]))
compilers.stop()
`

// Prints how many calls it took until a function without a loop was optimized, after 5,000 calls without the compilers.
// From the 1,500th call on, the calls are slow, so that the compiling thread has time.
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
  if (calls > 1500) await wait()
  else if (calls % 10 === 0) await turn()
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
  expect(run(CALLS)).toBeLessThan(2500)
})
