import { otherStamp, sameStamp } from '../files/file-stamp.ts'
import { readWhole } from '../files/open-file.ts'
import type { DescribeFile } from '../notes/describe-file.ts'
import type { Vault } from '../vaults/vault.ts'
import type { VaultLayout } from '../vaults/vault-layout.ts'
import type { LiveNotes } from '../vaults/live-notes.ts'
import { LARGEST_RECENT } from './recent/recent-notes.ts'
import type { SearchBudget } from './search-budget.ts'
import type { SearchIndex } from './search-index.ts'

type Options = { describeFile: DescribeFile; maxNoteBytes: number }
type SearchedVault = {
  manifest: Pick<Vault['manifest'], 'file'>
  layout: Pick<VaultLayout, 'root'>
  live: Pick<LiveNotes, 'unsavedNotes'>
}
/** `version`: of the live text, or undefined for the file. `done`: resolves when it is in the index. */
type Indexing = { version: string | undefined; done: Promise<void>; failed?: true }
type Search = { vault: SearchedVault; index: Pick<SearchIndex, 'put'>; budget: SearchBudget }

/**
 * Adds unsaved live text to the index before a search. Normally this is what was typed in a few seconds; what exceeds
 * the budget of the search waits for the next one.
 */
export function createLiveTexts({ describeFile, maxNoteBytes }: Options) {
  /** By note: what is indexed of it, or is being indexed. Other searches wait for that. */
  const indexed = new WeakMap<SearchedVault, Map<string, Indexing>>()

  async function put({ vault, index }: Search, path: string, text: string): Promise<void> {
    // Only its beginning would be found then. As it was saved, all of it is found.
    if (text.length > LARGEST_RECENT) return
    const content = await describeFile(path, Buffer.from(text, 'utf8'))
    const stamp = vault.manifest.file(path)?.stamp
    if (!stamp || !('text' in content)) return
    const { facts, tags, properties } = content
    // The stamp of the file belongs to the text in the file: a segment with that stamp has the other text.
    index.put(otherStamp(stamp), { path, text, title: facts.title, tags, properties })
  }

  /** The text may have been saved since, or undone before it was saved: read the file. */
  async function putFile(search: Search, path: string): Promise<void> {
    const { vault, index } = search
    const seen = await readWhole(vault.layout.root, path, maxNoteBytes).catch(() => undefined)
    if (!seen) return
    const content = await describeFile(path, seen.bytes)
    const known = vault.manifest.file(path)
    if (!known || !sameStamp(known.stamp, seen.stamp) || !('text' in content)) return
    const { text, facts, tags, properties } = content
    index.put(seen.stamp, { path, text, title: facts.title, tags, properties })
  }

  return async (search: Search): Promise<void> => {
    const { vault, budget } = search
    const unsaved = vault.live.unsavedNotes()
    const known = indexed.get(vault) ?? new Map<string, Indexing>()
    if (unsaved.length === 0 && known.size === 0) return
    indexed.set(vault, known)
    const open = new Set(unsaved.map(({ path }) => path))
    const closed = Array.from(known.keys()).filter((path) => !open.has(path))
    for (const path of closed) {
      if (!known.has(path)) continue // another search has read its file meanwhile
      if (budget.isLate()) return
      await indexOnce({ known, path, version: undefined, work: () => putFile(search, path) })
    }
    for (const { path, version, text } of unsaved) {
      if (budget.isLate()) return
      await indexOnce({ known, path, version, work: () => put(search, path, text()) })
    }
  }
}

type Once = { known: Map<string, Indexing>; path: string; version: string | undefined; work(): Promise<void> }

/** Indexes a version after the one before it, unless another search does so or did. */
function indexOnce({ known, path, version, work }: Once): Promise<void> {
  const before = known.get(path)
  if (before && before.version === version && !before.failed) return before.done
  const done = (before?.done ?? Promise.resolve()).catch(() => {}).then(work)
  const indexing: Indexing = { version, done }
  known.set(path, indexing)
  done.then(
    () => version === undefined && known.get(path) === indexing && known.delete(path),
    () => (indexing.failed = true),
  )
  return done
}
