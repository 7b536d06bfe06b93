import type { LinkIndex } from '../links/link-index.ts'

/** What embedded notes are read and rendered with. */
export type Embedding = {
  vaultId: string
  index: LinkIndex
  read: (path: string) => Promise<string>
  /** Paths of the enclosing notes, so that notes that embed each other end. */
  inside: readonly string[]
}

/** The places of embedded notes in a rendered note. */
export const embedsIn = (root: ParentNode): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('[data-embed]')]

/** Inserts embedded notes, or the named parts of them. The code for this is loaded with the first one. */
export async function fillEmbeds(root: ParentNode, deps: Embedding): Promise<void> {
  const places = embedsIn(root)
  if (places.length === 0) return
  const { fillEmbed } = await import('./embedded-note.ts')
  await Promise.all(places.map((place) => fillEmbed(place, deps)))
}
