import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// Functions that run as often as those of a start, or as those of a new index, which V8's baseline compiler compiles. A
// process of its own has no other garbage. The compiler does not work beside it, as it holds what it has not finished.
const SCRIPT = `
  import { setFlagsFromString } from 'node:v8'
  import { returnMemory } from ${JSON.stringify(new URL('./return-memory.ts', import.meta.url).href)}
  import { collectGarbage } from ${JSON.stringify(new URL('../../../shared/kit/collect-garbage.ts', import.meta.url).href)}
  for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag)
  const body = 'total += n; '.repeat(100)
  const sources = Array.from({ length: 1000 }, (_, i) => \`function f\${i}(n) { let total = \${i}; \${body} return total }\`)
  const functions = new Function(\`\${sources.join(';')}; return [\${sources.map((_, i) => 'f' + i).join()}]\`)()
  const sum = () => functions.reduce((total, each) => total + each(1), 0)
  const used = () => process.memoryUsage().heapUsed
  let first
  for (let call = 0; call < CALLS; call++) first = sum()
  collectGarbage({ type: 'major' })
  collectGarbage({ type: 'major', flavor: 'last-resort' })
  const before = used()
  await returnMemory('forgotten')
  const after = used()
  console.log(JSON.stringify({ before, after, first, again: sum() }))
`

// Without the flags it is 1.3 MB, with them 3.7 and 7.5 MB.
test.each([
  { called: 'once', calls: 1, bytes: 2_300_000 },
  { called: 'often', calls: 50, bytes: 4_000_000 },
])('code that was called $called is returned, and compiled again when it is called', async ({ calls, bytes }) => {
  const script = SCRIPT.replace('CALLS', String(calls))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--no-concurrent-sparkplug',
    '--input-type=module',
    '-e',
    script,
  ])
  const { before, after, first, again } = JSON.parse(stdout) as Record<'before' | 'after' | 'first' | 'again', number>
  expect(before - after).toBeGreaterThan(bytes)
  expect(again).toBe(first)
  expect(first).toBe(599_500)
  // V8 complains there about a flag that it does not know.
  expect(stderr).toBe('')
})
