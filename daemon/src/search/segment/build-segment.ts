// A program of its own: what a build allocates is given back when the process ends, and it never holds up the daemon.
import { closeSync, fsyncSync } from 'node:fs'
import { openRegularFileSync } from '../../files/open-sync.ts'
import { endChild } from '../../home/end-child.ts'
import type { BuildReport } from './segment-builds.ts'
import { buildSegment, type BuildRequest } from './segment-of-vault.ts'

process.once('disconnect', endChild)
process.on('message', (request: BuildRequest) => {
  const report = (report: BuildReport, then = () => {}) => process.send!(report, then)
  const stopWithoutDaemon = () => stopWithout(request.owner)
  stopWithoutDaemon()
  buildSegment(request, stopWithoutDaemon).then(
    () => {
      // The daemon gives the file another name as soon as it knows of it.
      const { fd } = openRegularFileSync(request.target)
      report({ ok: true }, () => makeDurable(fd))
    },
    (error: unknown) => report({ ok: false, message: (error as Error).message }),
  )
})

/**
 * Syncs a segment that is in use already: nobody waits for a slow disk. Checksums show what a power cut, or a disk that
 * fails, has lost of it; that costs another build.
 */
function makeDurable(fd: number): void {
  try {
    fsyncSync(fd)
  } catch {
    // See above.
  } finally {
    closeSync(fd)
  }
}

/**
 * Checks for a killed daemon: it cannot stop its builder, and a build runs without returning to the event loop. The
 * daemon says which process it is: it may be gone before the builder has begun.
 */
function stopWithout(owner: number): void {
  if (process.ppid !== owner) endChild()
}
