import { refuseTwin } from './refuse-twin.ts'
import type { Vault } from './vault.ts'

type Names = Pick<Vault, 'files' | 'queue'>

/** A path that was free of twins when it was checked. */
export type CheckedName = { path: string; checkedAfter: number }

/** How many names have been made in each vault. */
const made = new WeakMap<Vault['queue'], number>()
const madeIn = ({ queue }: Names): number => made.get(queue) ?? 0

/** Refuses a twin before anything is written for a new path. Runs inside the queue of the path. */
export function checkName(vault: Names, path: string): Promise<CheckedName> {
  return inOrder(vault, async () => {
    await refuseTwin(vault.files, path)
    return { path, checkedAfter: madeIn(vault) }
  })
}

/**
 * Makes a new name. Names are made one at a time, so that two of them cannot become twins. A large folder is not read again
 * unless another name was made since the check.
 */
export function makeName<T>(vault: Names, { path, checkedAfter }: CheckedName, make: () => Promise<T>): Promise<T> {
  return inOrder(vault, async () => {
    if (madeIn(vault) !== checkedAfter) await refuseTwin(vault.files, path)
    made.set(vault.queue, madeIn(vault) + 1)
    return make()
  })
}

const inOrder = <T>({ queue }: Names, work: () => Promise<T>): Promise<T> => queue.run('/new', work)
