import { ensureBuilds, ensureDependencies } from './ensure.mjs'
import { runInForeground } from './foreground.mjs'

const asked = process.argv.slice(2)
await ensureDependencies()
if (!asked.includes('--help')) await ensureBuilds()
process.exit(await runInForeground(['embedded/main.ts', ...asked]))
