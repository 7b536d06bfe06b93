import type { OutgoingLink } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Vault } from '../vaults/vault.ts'
import type { LinksOfFile } from './links-of-file.ts'

type KnownLinks = { links: OutgoingLink[]; backlinks: number; linksPartial: boolean }

/**
 * The links that come with a note, and how many notes link to it. Of a vault or a file that has not been read yet,
 * nothing is known.
 */
export type LinksOfNote = (vault: Vault, path: string) => Promise<KnownLinks>

// The text has the links too; the rest of a longer list is for those who ask for the links alone.
const MAX_LINKS = 1000

export function createLinksOfNote(linksOfFile: LinksOfFile): LinksOfNote {
  return async (vault, path) => {
    if (!vault.isIndexed() || !vault.manifest.hasFile(path)) return { links: [], backlinks: 0, linksPartial: true }

    const wish = { path, limit: 0, offset: 0, mentions: 'left_out' } as const
    const { outgoing, backlinksTotal, partial } = await linksOfFile(vault, wish)
    return {
      links: outgoing.slice(0, MAX_LINKS),
      backlinks: backlinksTotal,
      linksPartial: partial || outgoing.length > MAX_LINKS,
    }
  }
}
