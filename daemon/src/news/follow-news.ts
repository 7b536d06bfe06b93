import { join } from 'node:path'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { MAX_LISTED_NEWS } from '@svc/shared/wire/daemon/daemon-news.api.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { authorOf, outsideAuthor, sameAuthor, type Author } from '../entry/author.ts'
import type { Disk } from '../files/disk/disk.ts'
import {
  perVault,
  type ChangeOrigin,
  type PerVault,
  type VaultChange,
  type VaultFollower,
} from '../vaults/vault-change.ts'
import { slices } from '../watch/slices.ts'
import { newsFile } from './news-file.ts'
import type { NewsEntry, NewsState, NoteNews } from './news-state.ts'

/** The news of one reader: how many notes, the newest of them, the latest change first, and their number by author. */
export type News = { since: number; notes: number; newest: NoteNews[]; by: { author: Author; notes: number }[] }

/** What changed in a vault since each of its readers last read it. */
export type VaultNews = {
  /** The newest change that is remembered, and by whom. */
  newest(): Promise<{ at: number; by: Author } | undefined>
  /** The news of a reader. A first-time reader has none: their news begin with this call. */
  newsFor(reader: string): Promise<News>
  /**
   * Records that a reader has read a note up to a baseline. `current` are those that the note has now. Fails with
   * `stale_doc` where the baseline is neither one of them nor one of the latest before.
   */
  read(reading: { reader: string; path: string; baseline: string; current: readonly string[] }): Promise<void>
  /** Records that a reader has read everything; returns up to which time. */
  readAll(reader: string): Promise<number>
}

type Options = { folder: string; disk: Disk; clock: Clock; log: Log }

/** Keeps the news of every vault in a file of its own below `folder`. */
export function followNews({ folder, disk, clock, log }: Options): PerVault<VaultNews & VaultFollower> {
  return perVault(({ id }) => {
    const file = newsFile({ path: join(folder, `${id}.jsonl`), disk, log: log.child({ vault: id }) })
    const nowMs = () => clock.now().getTime()
    // The news of a reader are counted again when something has changed.
    const counted = new Map<string, News>()
    let changes = 0
    let move: { id: string; path: string; baseline: string } | undefined

    function outdate(): void {
      changes++
      counted.clear()
    }

    function changed(change: VaultChange): void {
      for (const entry of entriesOf(change)) {
        outdate()
        file.addLater(entry)
      }
    }

    function* entriesOf(change: VaultChange): Generator<NewsEntry> {
      const moveId = change.origin.kind === 'api' ? change.origin.move?.id : undefined
      if (change.kind === 'deleted') {
        const { path, before } = change
        // A note that a move removes is added at once under its new path.
        if (moveId === undefined) yield { kind: 'gone', path }
        else if (before?.kind === 'note') move = { id: moveId, path, baseline: before.baseline }
      }
      if (change.kind !== 'created' && change.kind !== 'changed') return
      const { path, content, origin } = change
      const { facts } = content
      if (facts.kind !== 'note') return
      const { baseline } = facts
      const moved = change.kind === 'created' && move?.id === moveId ? move : undefined
      move = undefined
      if (moved) yield { kind: 'moved', from: moved.path, to: path }
      if (moved?.baseline !== baseline) yield { kind: 'changed', path, baseline, at: nowMs(), by: writersOf(origin) }
    }

    async function count(state: NewsState, reader: string, since: number): Promise<News> {
      const news: News = { since, notes: 0, newest: [], by: [] }
      const pause = slices()
      for (const note of state.newsFor(reader)) {
        if (note && ++news.notes <= MAX_LISTED_NEWS) news.newest.push(note)
        for (const author of note?.authors ?? []) {
          const known = news.by.find((one) => sameAuthor(one.author, author))
          if (known) known.notes++
          else news.by.push({ author, notes: 1 })
        }
        await pause()
      }
      news.by.sort((one, other) => other.notes - one.notes)
      return news
    }

    /** The time of a reader's first visit: now, if this is the first one. */
    function sinceOf(state: NewsState, reader: string): number {
      const known = state.since(reader)
      if (known !== undefined) return known
      // Not acknowledged to anybody, so it need not be durable: people must see their vaults even with a full disk.
      file.addLater({ kind: 'since', reader, at: nowMs() })
      return nowMs()
    }

    async function readAll(reader: string): Promise<number> {
      await file.read()
      const at = nowMs()
      outdate()
      await file.add({ kind: 'since', reader, at })
      return at
    }

    return {
      changed,
      newest: async () => (await file.read()).newest(),
      async newsFor(reader) {
        const state = await file.read()
        const since = sinceOf(state, reader)
        const known = counted.get(reader)
        if (known) return known
        const before = changes
        const news = await count(state, reader, since)
        if (before !== changes) return news
        if (counted.size >= MOST_COUNTED) counted.delete(counted.keys().next().value!)
        counted.set(reader, news)
        return news
      },
      async read({ reader, path, baseline, current }) {
        const state = await file.read()
        sinceOf(state, reader)
        const at = current.includes(baseline) ? nowMs() : state.writtenAt(path, baseline)
        if (at === undefined) throw fail('stale_doc', { baseline: current[0] })
        outdate()
        await file.add({ kind: 'read', reader, path, baseline, at })
      },
      readAll,
      close: file.close,
    }
  })
}

const MOST_COUNTED = 100

/** The authors of the new lines of a change. Older lines, such as those that a revert restores, count for nobody. */
function writersOf(origin: ChangeOrigin): Author[] {
  if (origin.kind === 'outside') return [outsideAuthor]
  const writers = [authorOf(origin.by)]
  for (const { by } of origin.written ?? []) {
    if (by === undefined || by.atMs !== undefined) continue
    const { id, name, person } = by
    const author = { id, name, ...(person && { person }) }
    if (!writers.some((one) => sameAuthor(one, author))) writers.push(author)
  }
  return writers
}
