import { copyFileSync, constants, fstatSync, lstatSync, rmSync, truncateSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import type { HomeLayout } from '../home/home-layout.ts'

type Options = { layout: Pick<HomeLayout, 'daemon'>; output: number; maxBytes?: number; log: Log }

const MAX_BYTES = 5 * 1024 * 1024
const LOOK_MS = 60_000

/** The log of a daemon that an agent's bridge started: its output goes to this file in the home. */
export const ownLogFile = (layout: Pick<HomeLayout, 'daemon'>): string => join(layout.daemon, 'svcd.log')

/**
 * Keeps that log small: when it is large, moves its content to `svcd.1.log` and truncates it. A daemon whose output
 * goes elsewhere leaves the file alone. Synchronous, so that no line is written between the copy and the truncation.
 */
export function keepOwnLogSmall({ layout, output, maxBytes = MAX_BYTES, log }: Options): () => void {
  const file = ownLogFile(layout)
  const look = () => {
    try {
      const size = sizeOf(file, output)
      if (size === undefined || size <= maxBytes) return
      const earlier = join(layout.daemon, 'svcd.1.log')
      rmSync(earlier, { force: true })
      copyFileSync(file, earlier, constants.COPYFILE_EXCL)
      truncateSync(file)
    } catch (error) {
      log.warn({ err: error }, 'the log could not be truncated')
    }
  }
  look()
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** The size of the file, or undefined when the output goes elsewhere. */
function sizeOf(file: string, output: number): number | undefined {
  const [there, ours] = [statOrUndefined(() => lstatSync(file)), statOrUndefined(() => fstatSync(output))]
  return there?.isFile() && ours && there.ino === ours.ino && there.dev === ours.dev ? there.size : undefined
}

function statOrUndefined(stat: () => Stats): Stats | undefined {
  try {
    return stat()
  } catch {
    return undefined
  }
}
