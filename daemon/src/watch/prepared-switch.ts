import type { Pause } from './slices.ts'

/** A switch to another memory, made in one step after it was prepared in slices. What it is about changes meanwhile. */
export type PreparedSwitch = {
  /** How many paths have changed since they were taken over. */
  behind(): number
  /** Takes over what has changed so far. */
  catchUp(pause: Pause): Promise<void>
  /** Takes over the rest and switches. Returns the notes that the new memory does not have as they are. */
  adopt(): Iterable<string>
}

type Options = {
  /** Takes over a path as it is at this moment; called again if it changes afterwards. */
  takeOver(path: string): void
  switchOver(): Iterable<string>
}

// So many changes are taken over within a few milliseconds.
const FEW = 500
// A vault that changes faster than its changes are taken over must get its new memory all the same.
const MOST_ROUNDS = 20

/** A switch that is told of every path that changes from now on. `takeOver` is not called before the first `catchUp` or `adopt`. */
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

/** Brings switches that are made together so near to the present that the step itself takes little time. */
export async function catchUpAll(switches: readonly PreparedSwitch[], pause: Pause): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS && switches.some(({ behind }) => behind() > FEW); round++)
    for (const { catchUp } of switches) await catchUp(pause)
}
