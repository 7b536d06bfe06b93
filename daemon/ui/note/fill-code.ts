const MAX_LENGTH = 50_000

/**
 * Colours the code blocks of a rendered note with the editor's parsers, which take linear time. Each language is loaded
 * when a note first shows it.
 */
export async function fillCode(root: ParentNode): Promise<void> {
  const places = [...root.querySelectorAll<HTMLElement>('code[data-language]')]
  if (places.length === 0) return
  const { tokensOf } = await import('./code-tokens.ts')
  for (const place of places) {
    const code = place.textContent ?? ''
    if (code.length > MAX_LENGTH) continue
    const tokens = await tokensOf(code, place.dataset.language ?? '')
    if (tokens === undefined || place.textContent !== code) continue
    place.replaceChildren(
      ...tokens.map(({ text, classes }) => {
        if (classes === '') return text
        const span = document.createElement('span')
        span.className = classes
        span.textContent = text
        return span
      }),
    )
  }
}
