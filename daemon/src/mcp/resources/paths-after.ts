import type { Known } from '../../watch/remembered.ts'
import type { Pause } from '../../watch/slices.ts'

// Numbers of missing files between two pauses.
const STRIDE = 1024

type Range = { after: string | undefined; most: number; pause: Pause }

/** The first paths of files after a path, at most `most` of them, in the order of their bytes. Reads no facts. */
export async function pathsAfter(known: Known, { after, most, pause }: Range): Promise<string[]> {
  const remembered = await rememberedAfter(known, { after, most, pause })
  const apart = await apartAfter(known, { after, most, pause })
  return [...remembered, ...apart].sort(byBytes).slice(0, most)
}

async function rememberedAfter({ files, isThere }: Known, { after, most, pause }: Range): Promise<string[]> {
  const found: string[] = []
  let number = after === undefined ? 0 : files.firstAtOrAfter(after)
  for (; number < isThere.length && found.length < most; number++) {
    const path = isThere[number] === 1 ? files.path(number) : undefined
    if (path !== undefined && path !== after) found.push(path)
    if (path !== undefined || number % STRIDE === 0) await pause()
  }
  return found
}

/** The files recorded apart are in no order, and may be all files of a vault. */
async function apartAfter({ apart }: Known, { after, most, pause }: Range): Promise<string[]> {
  let found: string[] = []
  let last: string | undefined
  for (const { path } of apart) {
    const isWanted =
      (after === undefined || byBytes(path, after) > 0) && (last === undefined || byBytes(path, last) < 0)
    if (isWanted) found.push(path)
    if (found.length >= 4 * most) {
      found = found.sort(byBytes).slice(0, most)
      last = found.at(-1)
    }
    await pause()
  }
  return found.sort(byBytes).slice(0, most)
}

/** Compares texts by their bytes in UTF-8, as files are remembered in that order. Pure. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (one !== other) return rankOf(one) - rankOf(other)
  }
  return a.length - b.length
}

/** Halves of characters beyond U+FFFF come after all other units. */
const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
