import { baselineOf } from '../files/baseline.ts'
import { slices } from '../watch/slices.ts'
import type { NoteHistory } from './note-history.ts'
import type { NoteTexts } from './note-texts.ts'

/**
 * Finds the bytes that a note had at a baseline, among its newest revisions. Undefined when no revision that may be
 * served has them, or the history cannot be read.
 */
export type FindPastVersion = (
  history: NoteHistory,
  version: { path: string; baseline: string },
) => Promise<Buffer | undefined>

const MAX_REVISIONS = 200
const MAX_BYTES = 16 * 1024 * 1024
const BATCH_BYTES = 4 * 1024 * 1024

/**
 * Searches from the newest revision to older ones. Revisions do not store baselines, so their texts are read and
 * hashed.
 */
export function createFindPastVersion({ texts }: { texts: NoteTexts }): FindPastVersion {
  async function find(history: NoteHistory, path: string, baseline: string): Promise<Buffer | undefined> {
    await history.commitAll()
    const { revisions } = await texts.revisions(history, { path, most: MAX_REVISIONS })
    const names = [...new Set(revisions.flatMap(({ content }) => content ?? []).reverse())]
    const sizes = await texts.sizes(history, names)
    const pause = slices()
    for (const batch of batchesOf(names, sizes))
      for (const bytes of await texts.contents(history, batch)) {
        if (baselineOf(bytes) === baseline) return bytes
        await pause()
      }
    return undefined
  }

  return (history, { path, baseline }) =>
    find(history, path, baseline).catch((error: unknown) => {
      history.doubt(error)
      return undefined
    })
}

/** The names in groups that are read at once; leaves out those beyond the limit. */
function* batchesOf(names: readonly string[], sizes: readonly number[]): Generator<string[]> {
  let [batch, bytes, total]: [string[], number, number] = [[], 0, 0]
  for (const [index, name] of names.entries()) {
    const size = sizes[index]!
    total += size
    if (total > MAX_BYTES) break
    batch.push(name)
    bytes += size
    if (bytes < BATCH_BYTES) continue
    yield batch
    ;[batch, bytes] = [[], 0]
  }
  if (batch.length > 0) yield batch
}
