import type { OutgoingLink } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { Vault } from '../vaults/vault.ts'
import type { LinksOfFile } from './links-of-file.ts'

type KnownLinks = { links: OutgoingLink[]; backlinks: number; linksPartial: boolean }

/**
 * The links that come with a note, and how many notes link to it. Of a vault or a file that has not been read yet,
 * nothing is known.
 */
export type LinksOfNote = (vault: Vault, path: string) => Promise<KnownLinks>

/**
 * How long a note waits for its links, first until they are known and then while they are found, milliseconds. Right
 * after a start or a rest, the links of a large vault are not known for a while.
 */
export const LINKS_WAIT_MS = 300
// The text has the links too; the rest of a longer list is for those who ask for the links alone.
const MAX_LINKS = 1000

export function createLinksOfNote(linksOfFile: LinksOfFile): LinksOfNote {
  return async (vault, path) => {
    if (!vault.isIndexed() || !vault.manifest.hasFile(path)) return { links: [], backlinks: 0, linksPartial: true }

    const wish = { path, limit: 0, offset: 0, mentions: 'left_out', mostOutgoing: MAX_LINKS + 1 } as const
    const { outgoing, backlinksTotal, partial } = await linksOfFile(vault, wish)
    return {
      links: outgoing.slice(0, MAX_LINKS),
      backlinks: backlinksTotal,
      linksPartial: partial || outgoing.length > MAX_LINKS,
    }
  }
}
