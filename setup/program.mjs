// `npm run svcd` and `npm run svc-admin`: a program of this repository by its name, from a fresh clone too.
import { ensureBuilds, ensureDependencies } from './ensure.mjs'
import { runInForeground } from './foreground.mjs'

const programs = {
  svcd: { file: 'daemon/bin/svcd.js', builds: ['diagram', 'ui'] },
  'svc-admin': { file: 'control-plane/bin/svc-admin.js', builds: [] },
}

const [name = '', ...args] = process.argv.slice(2)
const program = programs[name]
if (program === undefined) {
  console.error(`There is no program ${name}: ${Object.keys(programs).join(', ')}.`)
  process.exit(64)
}
await ensureDependencies()
if (!args.includes('--help')) await ensureBuilds(program.builds)
process.exit(await runInForeground([program.file, ...args]))
