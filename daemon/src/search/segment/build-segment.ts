// A program of its own: what a build allocates is given back when the process ends, and it never holds up the daemon.
import type { BuildReport } from './segment-builds.ts'
import { buildSegment, type BuildRequest } from './segment-of-vault.ts'

process.once('disconnect', () => process.exit(1))
process.on('message', (request: BuildRequest) => {
  const report = (report: BuildReport) => process.send!(report)
  try {
    buildSegment(request)
    report({ ok: true })
  } catch (error) {
    report({ ok: false, message: (error as Error).message })
  }
})
