import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// Functions that run once, as those of a start do. A process of its own has no other garbage.
const SCRIPT = `
  import { returnMemory } from ${JSON.stringify(new URL('./return-memory.ts', import.meta.url).href)}
  import { collectGarbage } from ${JSON.stringify(new URL('../../../shared/kit/collect-garbage.ts', import.meta.url).href)}
  const body = 'total += n; '.repeat(100)
  const sources = Array.from({ length: 1000 }, (_, i) => \`function f\${i}(n) { let total = \${i}; \${body} return total }\`)
  const functions = new Function(\`\${sources.join(';')}; return [\${sources.map((_, i) => 'f' + i).join()}]\`)()
  const sum = () => functions.reduce((total, each) => total + each(1), 0)
  const used = () => process.memoryUsage().heapUsed
  const first = sum()
  collectGarbage({ type: 'major' })
  collectGarbage({ type: 'major', flavor: 'last-resort' })
  const before = used()
  await returnMemory()
  const after = used()
  console.log(JSON.stringify({ before, after, first, again: sum() }))
`

test('code that only a start runs is returned, and compiled again when it is called', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT])
  const { before, after, first, again } = JSON.parse(stdout) as Record<'before' | 'after' | 'first' | 'again', number>
  // Without the flag it is 1.3 MB, with it 3.6 MB.
  expect(before - after).toBeGreaterThan(2_300_000)
  expect(again).toBe(first)
  expect(first).toBe(599_500)
  // V8 complains there about a flag that it does not know.
  expect(stderr).toBe('')
})
