/** Draws the Mermaid diagrams of a rendered note. The code for this is loaded with the first one. */
export async function fillDiagrams(root: ParentNode): Promise<void> {
  const places = [...root.querySelectorAll<HTMLElement>('code[data-language="mermaid"]')]
  if (places.length === 0) return
  const { drawDiagrams } = await import('../diagram/draw-diagrams.ts')
  await drawDiagrams(places)
}
