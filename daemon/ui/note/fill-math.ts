const MAX_FORMULAS = 500
const MAX_LENGTH = 5_000

/**
 * Renders the formulas of a rendered note as MathML, which the browser draws itself. A formula with an error stays
 * text. KaTeX is loaded with the first formula.
 */
export async function fillMath(root: ParentNode): Promise<void> {
  const places = [...root.querySelectorAll<HTMLElement>('.math[data-math]')].slice(0, MAX_FORMULAS)
  if (places.length === 0) return
  const [{ default: katex }, { sanitizeMath }] = await Promise.all([
    import('katex'),
    import('../markdown/sanitize-math.ts'),
  ])
  for (const place of places) {
    const tex = place.textContent ?? ''
    if (tex.length > MAX_LENGTH) continue
    try {
      const mathml = katex.renderToString(tex, {
        output: 'mathml',
        displayMode: place.dataset.math === 'display',
        throwOnError: true,
        trust: false,
        strict: 'ignore',
        maxSize: 20,
        maxExpand: 200,
      })
      place.replaceChildren(sanitizeMath(mathml))
      place.classList.add('set')
    } catch (thrown) {
      place.classList.add('wrong')
      place.title = thrown instanceof Error ? thrown.message.replace('KaTeX parse error: ', '') : 'Not a formula'
    }
  }
}
