import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilds, ensureDependencies, root } from './ensure.mjs'
import { runInForeground } from './foreground.mjs'

const benches = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length))
const given = process.argv.slice(2)
const firstOption = given.findIndex((arg) => arg.startsWith('--'))
const asked = firstOption === -1 ? given : given.slice(0, firstOption)
const options = firstOption === -1 ? [] : given.slice(firstOption)
const unknown = asked.filter((name) => !benches.includes(name))

if (options.includes('--help') || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no bench ${unknown.join(', ')}.`)
  console.log(`npm run bench [NAME ...] [-- OPTION ...] runs benches and prints ratios taken side by side in one run.

  NAME     ${benches.join(', ')} (default: all)
  OPTION   of the benches named; the first comment of bench/NAME.bench.ts tells them`)
  process.exit(unknown.length > 0 ? 64 : 0)
}

await ensureDependencies()
await ensureBuilds()
for (const name of asked.length > 0 ? asked : benches) {
  console.log(`\n# ${name}\n`)
  const code = await runInForeground([`bench/${name}.bench.ts`, ...(asked.length > 0 ? options : [])])
  if (code !== 0) process.exit(code)
}
