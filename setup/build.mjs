import { allBuilds, ensureBuilds, ensureDependencies } from './ensure.mjs'

if (process.argv.includes('--help')) {
  console.log(
    'npm run build builds the web UI of the daemon, the web app, and the bundles of daemon, control plane and operator, where sources changed.',
  )
  process.exit(0)
}
await ensureDependencies()
await ensureBuilds(allBuilds)
