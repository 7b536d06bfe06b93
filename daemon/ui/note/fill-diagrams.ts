/** Draws the Mermaid diagrams of a rendered note. What draws them is loaded with the first one. */
export async function fillDiagrams(root: ParentNode): Promise<void> {
  const places = [...root.querySelectorAll<HTMLElement>('code[data-language="mermaid"]')]
  if (places.length === 0) return
  const { drawDiagrams } = await import('../diagram/draw-diagrams.ts')
  await drawDiagrams(places)
}
