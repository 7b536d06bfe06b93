import { z } from 'zod'
import { sameAuthor, type Author } from '../entry/author.ts'

/** What is remembered of changes and readers of one vault, one entry for each line of its file. */
export const NewsEntry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('changed'),
    path: z.string(),
    baseline: z.string(),
    at: z.number(),
    by: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        person: z.object({ id: z.string(), name: z.string() }).optional(),
      }),
    ),
  }),
  z.object({ kind: z.literal('moved'), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('gone'), path: z.string() }),
  /** The reader has read a note up to a baseline: changes until `at` are known to them. */
  z.object({
    kind: z.literal('read'),
    reader: z.string(),
    path: z.string(),
    baseline: z.string(),
    at: z.number(),
  }),
  /** Nothing until `at` is news to the reader. */
  z.object({ kind: z.literal('since'), reader: z.string(), at: z.number() }),
])
export type NewsEntry = z.infer<typeof NewsEntry>

type Change = { baseline: string; at: number; by: readonly Author[] }
type Reader = { since: number; read: Map<string, { baseline: string; at: number }> }

/** A note with changes that a reader has not read. */
export type NoteNews = { path: string; at: number; authors: Author[] }

// Older changes count as read: news are of the latest weeks, not an archive.
const MOST_NOTES = 10_000
const MOST_CHANGES = 8
const MOST_READERS = 500
const MOST_READ = 50_000

/**
 * What has changed in one vault, and what its readers know of it. Bounded: the changes of the notes that changed
 * longest ago are forgotten. Pure.
 */
export class NewsState {
  // In the order of the last change, the latest last.
  readonly #changes = new Map<string, Change[]>()
  // In the order of the last visit, the latest last.
  readonly #readers = new Map<string, Reader>()
  #readings = 0
  #newest: { at: number; by: Author } | undefined

  /** The newest change of any note. */
  newest(): { at: number; by: Author } | undefined {
    return this.#newest
  }

  since(reader: string): number | undefined {
    return this.#readers.get(reader)?.since
  }

  apply(entry: NewsEntry): void {
    switch (entry.kind) {
      case 'changed':
        return this.#changed(entry)
      case 'moved':
        return this.#moved(entry)
      case 'gone':
        return this.#forget(entry.path)
      case 'read':
        return this.#read(entry)
      case 'since':
        return this.#since(entry)
    }
  }

  /** When a note was written with a baseline, as far as that is remembered. */
  writtenAt(path: string, baseline: string): number | undefined {
    return this.#changes.get(path)?.findLast((change) => change.baseline === baseline)?.at
  }

  /** The notes that have changed since a reader last read them, the newest change first. Own changes count as read. */
  *newsFor(reader: string): Generator<NoteNews | undefined> {
    const known = this.#readers.get(reader)
    if (!known) return
    for (const [path, changes] of Array.from(this.#changes).reverse()) {
      const read = known.read.get(path)
      const isRead = read !== undefined && read.baseline === changes.at(-1)!.baseline
      yield isRead ? undefined : newsOf(path, changes, { reader, seen: Math.max(known.since, read?.at ?? 0) })
    }
  }

  /** The smallest number of entries that result in this state. */
  *entries(): Generator<NewsEntry> {
    for (const [path, changes] of this.#changes)
      for (const change of changes) yield { kind: 'changed', path, ...change, by: [...change.by] }
    for (const [reader, { since, read }] of this.#readers) {
      yield { kind: 'since', reader, at: since }
      for (const [path, reading] of read) yield { kind: 'read', reader, path, ...reading }
    }
  }

  #changed({ path, baseline, at, by }: Extract<NewsEntry, { kind: 'changed' }>): void {
    const changes = this.#changes.get(path) ?? []
    this.#changes.delete(path)
    this.#changes.set(path, [...changes, { baseline, at, by }].slice(-MOST_CHANGES))
    if (by[0] && at >= (this.#newest?.at ?? 0)) this.#newest = { at, by: by[0] }
    if (this.#changes.size > MOST_NOTES) this.#forget(this.#changes.keys().next().value!)
  }

  #moved({ from, to }: { from: string; to: string }): void {
    const changes = this.#changes.get(from)
    if (!changes) return
    const readings = Array.from(this.#readers.values(), ({ read }) => [read, read.get(from)] as const)
    this.#forget(to)
    this.#forget(from)
    this.#changes.set(to, changes)
    for (const [read, reading] of readings) if (reading) this.#note(read, to, reading)
  }

  #read({ reader, path, baseline, at }: Extract<NewsEntry, { kind: 'read' }>): void {
    const known = this.#readers.get(reader)
    // A note without recent changes needs no record of its readers.
    if (!known || !this.#changes.has(path)) return
    this.#note(known.read, path, { baseline, at })
  }

  #note(read: Reader['read'], path: string, reading: { baseline: string; at: number }): void {
    if (!read.has(path)) this.#readings++
    read.set(path, reading)
    while (this.#readings > MOST_READ && this.#readers.size > 1) this.#dropReader()
  }

  #since({ reader, at }: { reader: string; at: number }): void {
    const known = this.#readers.get(reader)
    this.#readings -= known?.read.size ?? 0
    this.#readers.delete(reader)
    this.#readers.set(reader, { since: at, read: new Map() })
    if (this.#readers.size > MOST_READERS) this.#dropReader()
  }

  #dropReader(): void {
    const [reader, { read }] = this.#readers.entries().next().value!
    this.#readers.delete(reader)
    this.#readings -= read.size
  }

  #forget(path: string): void {
    this.#changes.delete(path)
    for (const { read } of this.#readers.values()) if (read.delete(path)) this.#readings--
  }
}

function newsOf(
  path: string,
  changes: readonly Change[],
  { reader, seen }: { reader: string; seen: number },
): NoteNews | undefined {
  const own = changes.findLast(({ by }) => by.some(({ id }) => id === reader))
  const from = Math.max(seen, own?.at ?? 0)
  const fresh = changes.filter(({ at, by }) => at > from && !by.some(({ id }) => id === reader))
  const authors: Author[] = []
  for (const author of fresh.flatMap(({ by }) => by))
    if (!authors.some((one) => sameAuthor(one, author))) authors.push(author)
  return authors.length === 0 ? undefined : { path, at: fresh.at(-1)!.at, authors }
}
