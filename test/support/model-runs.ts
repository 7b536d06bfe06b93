import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { newHome, startSvcd } from './svcd.ts'
import { stepsOnVault, VaultModel } from './vault-model.ts'

type Runs = {
  runs: number
  /** Steps of a run. */
  most: number
  /** A time limit for the whole run, including the shrinking of a failure. After it, the best result so far counts. */
  withinMs: number
  onRun?(done: number): void
}

/** Runs generated steps on a daemon, each run in a folder of its own, and compares with the model after each step. */
export async function modelRuns({ runs, most, withinMs, onRun }: Runs): Promise<void> {
  const home = await newHome()
  await mkdir(join(home, 'vaults/v'), { recursive: true })
  const daemon = await startSvcd({ home })
  let run = 0
  try {
    await fc.assert(
      fc.asyncProperty(stepsOnVault({ most }), async (steps) => {
        const model = new VaultModel(daemon, `run-${run++}`)
        for (const step of steps) {
          await model.run(step)
          await model.check()
        }
        await model.checkView()
        onRun?.(run)
      }),
      {
        numRuns: runs,
        endOnFailure: runs < 20,
        interruptAfterTimeLimit: withinMs,
        markInterruptAsFailure: true,
      },
    )
  } finally {
    await daemon.remove()
  }
}
