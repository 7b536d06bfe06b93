import { setImmediate } from 'node:timers/promises'
import { factsOf, numbersInOrder, type Known, type KnownFile, type RememberedFiles } from './remembered.ts'

// Files between two pauses: a few milliseconds.
const STRIDE = 1000

/**
 * Expresses what is known in terms of another memory: the files that are as it remembers them, and all others. An
 * unread file with the remembered stamp need not be read.
 */
export async function rebase({ files, isThere: wasThere, apart: were }: Known, next: RememberedFiles) {
  const isThere = new Uint8Array(next.count)
  const apart = new Map<string, KnownFile>()
  const oldNumberOf = numbersInOrder(next)
  for (let number = 0; number < files.count; number++) {
    if (number % STRIDE === 0) await setImmediate()
    if (wasThere[number] === 0) continue
    const path = files.path(number)
    const stamp = files.stamp(number)
    const found = oldNumberOf(path)
    if (found !== -1 && next.hasStamp(found, stamp)) isThere[found] = 1
    else apart.set(path, { path, stamp, facts: factsOf(files, number) })
  }
  const numberOf = numbersInOrder(next)
  let stride = 0
  for (const file of were) {
    if (++stride % STRIDE === 0) await setImmediate()
    const found = numberOf(file.path)
    if (found !== -1 && next.hasStamp(found, file.stamp)) isThere[found] = 1
    else apart.set(file.path, file)
  }
  return { isThere, apart }
}
