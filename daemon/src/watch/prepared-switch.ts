import type { Pause } from './slices.ts'

/** A switch to another memory: prepared in slices while the files keep changing, then made in one step. */
export type PreparedSwitch = {
  /** How many paths have changed since they were taken over. */
  behind(): number
  /** Takes over what has changed so far. */
  catchUp(pause: Pause): Promise<void>
  /** Takes over the rest and switches. Returns the notes that differ from the new memory. */
  adopt(): Iterable<string>
}

type Options = {
  /** Takes over a path in its present state; called again if the path changes afterwards. */
  takeOver(path: string): void
  switchOver(): Iterable<string>
}

// Taking over this many changes takes a few milliseconds.
const FEW = 500
// A vault that changes faster than its changes are taken over must get its new memory all the same.
const MOST_ROUNDS = 20

/**
 * Creates a switch; the caller must pass every path that changes from now on to `changed`. `takeOver` is not called
 * before the first `catchUp` or `adopt`.
 */
export function prepareSwitch({ takeOver, switchOver }: Options): PreparedSwitch & { changed(path: string): void } {
  let paths = new Set<string>()
  return {
    changed: (path) => void paths.add(path),
    behind: () => paths.size,
    async catchUp(pause) {
      const taken = paths
      paths = new Set()
      for (const path of taken) {
        takeOver(path)
        await pause()
      }
    },
    adopt() {
      for (const path of paths) takeOver(path)
      return switchOver()
    },
  }
}

/** Takes over changes for several switches until few are left, so that the step that switches all of them is short. */
export async function catchUpAll(switches: readonly PreparedSwitch[], pause: Pause): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS && switches.some(({ behind }) => behind() > FEW); round++)
    for (const { catchUp } of switches) await catchUp(pause)
}
