import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { openToAppend } from '../files/regular-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { prepareHome } from '../home/prepare-home.ts'
import { ownLogFile } from '../status/own-log.ts'
import { findDaemon } from './running-daemon.ts'

type Options = { layout: HomeLayout; program: { node: string; script: string }; waitMs?: number }

const LOOK_MS = 100

/**
 * The URL of the daemon of a home. If none runs, starts one that outlives this process, because other clients use it
 * too. Its log is `svcd.log` in the home. If two processes start one at the same time, both find the one that won.
 */
export async function ensureDaemon({ layout, program, waitMs = 30_000 }: Options): Promise<string> {
  const running = await findDaemon(layout)
  if (running) return running.address

  prepareHome(layout.home)
  const log = ownLogFile(layout)
  const output = await openToAppend(log)
  const child = spawn(program.node, [program.script], { detached: true, stdio: ['ignore', output.fd, output.fd] })
  await output.close()
  let ended: number | null | undefined
  child.once('exit', (code) => void (ended = code))
  child.once('error', () => void (ended = exitCodes.failure))
  child.unref()

  for (let waited = 0; waited < waitMs; waited += LOOK_MS) {
    await sleep(LOOK_MS)
    const found = await findDaemon(layout, { tries: 1 })
    if (found) return found.address
    if (ended !== undefined && ended !== exitCodes.tryAgain)
      throw new Error(`svcd ended with exit code ${ended} at its start; ${log} says why`)
  }
  throw new Error(`svcd did not start within ${waitMs / 1000} s; ${log} says why`)
}
