import type * as links from '@svc/shared/wire/daemon/daemon-links.api.ts'
import type { z } from 'zod'
import { encodePath, vaultUrl } from './vault-addresses.ts'

export type GraphPage = z.infer<typeof links.LinkGraph>
export type TagPage = z.infer<typeof links.TagCounts>

type Call = <T>(url: string, options: { signal?: AbortSignal | undefined }) => Promise<T>
type GraphWish = { path?: string | undefined; depth?: number; cursor?: string | undefined }

// The most that the daemon accepts: fewer round trips for a large vault.
const NODES_PER_PAGE = '1000'
const TAGS_PER_PAGE = '5000'

/** What the daemon knows about links, the graph and tags. */
export const linkCalls = (call: Call) => ({
  /** The links in a note, the links to it, and the notes that mention it without a link. */
  readLinks: ({ vaultId, path }: { vaultId: string; path: string }, signal?: AbortSignal) =>
    call<z.infer<typeof links.NoteLinks>>(`${vaultUrl(vaultId)}/links/${encodePath(path)}`, { signal }),

  /** One page of the link graph: around a file, or of the whole vault. */
  readGraph: (vaultId: string, { path, depth = 1, cursor }: GraphWish, signal?: AbortSignal) => {
    const query = new URLSearchParams({
      limit: NODES_PER_PAGE,
      depth: String(depth),
      ...(path !== undefined && { path }),
      ...(cursor !== undefined && { cursor }),
    })
    return call<GraphPage>(`${vaultUrl(vaultId)}/graph?${query}`, { signal })
  },

  /** One page of the tags of a vault, the most frequent first. */
  readTags: (vaultId: string, cursor: string | undefined, signal?: AbortSignal) => {
    const query = new URLSearchParams({ limit: TAGS_PER_PAGE, ...(cursor !== undefined && { cursor }) })
    return call<TagPage>(`${vaultUrl(vaultId)}/tags?${query}`, { signal })
  },
})
