import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilds, ensureDependencies, root, runInForeground } from './ensure.mjs'

const benches = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length))
const asked = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const unknown = asked.filter((name) => !benches.includes(name))

if (process.argv.includes('--help') || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no bench ${unknown.join(', ')}.`)
  console.log(`npm run bench [NAME ...] runs benches and prints ratios taken side by side in one run.

  NAME   ${benches.join(', ')} (default: all)`)
  process.exit(unknown.length > 0 ? 64 : 0)
}

await ensureDependencies()
await ensureBuilds()
for (const name of asked.length > 0 ? asked : benches) {
  console.log(`\n# ${name}\n`)
  const code = await runInForeground([`bench/${name}.bench.ts`])
  if (code !== 0) process.exit(code)
}
