import type { Embedding } from './embedded-note.ts'

/** Inserts embedded notes, or the named parts of them. The code for this is loaded with the first one. */
export async function fillEmbeds(root: ParentNode, deps: Embedding): Promise<void> {
  const places = [...root.querySelectorAll<HTMLElement>('[data-embed]')]
  if (places.length === 0) return
  const { fillEmbed } = await import('./embedded-note.ts')
  await Promise.all(places.map((place) => fillEmbed(place, deps)))
}
