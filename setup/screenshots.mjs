import { ensureBuilds, ensureDependencies } from './ensure.mjs'
import { runInForeground } from './foreground.mjs'

if (process.argv.includes('--help')) {
  console.log(
    'npm run screenshots starts the platform, opens a vault in Chromium and writes the pictures of docs/images.',
  )
  process.exit(0)
}
await ensureDependencies()
await ensureBuilds()
process.exit(await runInForeground(['test/browser/screenshots.ts']))
