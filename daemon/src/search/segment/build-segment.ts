// A program of its own: what a build allocates is given back when the process ends, and it never holds up the daemon.
import { endChild } from '../../home/end-child.ts'
import type { BuildReport } from './segment-builds.ts'
import { buildSegment, type BuildRequest } from './segment-of-vault.ts'

const parent = process.ppid
process.once('disconnect', endChild)
process.on('message', (request: BuildRequest) => {
  const report = (report: BuildReport) => process.send!(report, () => {})
  buildSegment(request, stopWithoutParent).then(
    () => report({ ok: true }),
    (error: unknown) => report({ ok: false, message: (error as Error).message }),
  )
})

/** Checks for a killed daemon: it cannot stop its builder, and a build runs without returning to the event loop. */
function stopWithoutParent(): void {
  if (process.ppid !== parent) endChild()
}
