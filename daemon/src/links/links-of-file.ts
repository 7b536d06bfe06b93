import type { OutgoingLink, Referrer } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Clock } from '@svc/shared/kit/clock.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { createSearchBudget } from '../search/search-budget.ts'
import type { Vault } from '../vaults/vault.ts'
import { backlinksOf, type Backlink } from './backlinks.ts'
import type { VaultLinks } from './follow-links.ts'
import { collectInTime } from './in-time.ts'
import { lineTexts } from './line-texts.ts'
import { outgoingLinks } from './outgoing-links.ts'
import type { UnlinkedMentions } from './unlinked-mentions.ts'

type Request = {
  path: string
  /** Of the notes that link to the file. */
  limit: number
  offset: number
  mentions: 'wanted' | 'left_out'
  /** Of the links of the file; all if it is left out. */
  mostOutgoing?: number
}
type Answer = {
  path: string
  outgoing: OutgoingLink[]
  backlinks: Referrer[]
  backlinksTotal: number
  mentions: Referrer[]
  partial: boolean
  nextCursor?: string
}

/** The links of a file and the links to it. Past the deadline it returns what it has, as `partial`. */
export type LinksOfFile = (vault: Vault, request: Request) => Promise<Answer>

type Deps = {
  linksOf: (vault: Vault) => VaultLinks
  findMentions: UnlinkedMentions
  clock: Clock
  deadlineMs: number
  maxNoteBytes: number
}

export function createLinksOfFile({ linksOf, findMentions, clock, deadlineMs, maxNoteBytes }: Deps): LinksOfFile {
  return async (vault, { path: asked, limit, offset, mentions, mostOutgoing }) => {
    await vault.listed
    const path = vault.manifest.onDisk(asked)
    if (!vault.manifest.file(path)) throw fail('not_found')
    const { links, isComplete } = await linksOf(vault).use(deadlineMs)
    const budget = createSearchBudget({ clock, deadlineMs })

    const outgoing: OutgoingLink[] = []
    const isOutgoingWhole = await collectInTime(outgoing, () => outgoingLinks(links, path, budget), mostOutgoing)
    const linking: Backlink[] = []
    const isLinkingWhole = await collectInTime(linking, () => backlinksOf(links, path, budget))
    const backlinks: Referrer[] = []
    for (const { path: from, lines } of linking.slice(offset, offset + limit)) {
      const texts = budget.isLate() ? [] : await lineTexts({ root: vault.layout.root, path: from, maxNoteBytes }, lines)
      backlinks.push({ path: from, title: titleOf(vault, from), lines: texts })
    }

    const mentioning: Referrer[] = []
    const isNote = vault.manifest.file(path)?.facts?.kind === 'note'
    const isWanted = isNote && mentions === 'wanted' && offset === 0
    const isSearched = !isWanted || (await collectInTime(mentioning, () => findMentions(vault, path, budget)))
    const isWhole = isComplete && isOutgoingWhole && isLinkingWhole && isSearched && vault.isIndexed()
    return {
      path,
      outgoing,
      backlinks,
      backlinksTotal: linking.length,
      mentions: mentioning,
      partial: !isWhole || budget.isLate(),
      ...(offset + limit < linking.length ? { nextCursor: String(offset + limit) } : {}),
    }
  }
}

/** The title of a note as far as it is known. */
export function titleOf(vault: Vault, path: string): string {
  const facts = vault.manifest.file(path)?.facts
  return facts?.kind === 'note' ? facts.title : path.slice(path.lastIndexOf('/') + 1)
}
