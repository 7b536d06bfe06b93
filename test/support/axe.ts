import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Found = { id: string; nodes: { target: string[]; failureSummary?: string }[] }

/**
 * The violations of WCAG 2.2 AA that axe finds on a page, one line each. Waits for the heading of the page: while
 * the code of the page loads, the frame around it is already there.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.locator('h1, [role=heading][aria-level="1"]').first().waitFor({ state: 'attached' })
  // The CSP of the page forbids foreign scripts, but an evaluation through the debugger is exempt.
  await page.evaluate(source)
  const violations = await page.evaluate(async () => {
    // A text that fades in has too little contrast meanwhile. What never ends, such as a spinner, cannot be finished.
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
    const { axe } = window as unknown as { axe: { run(what: Document, how: object): Promise<{ violations: Found[] }> } }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return (await axe.run(document, { runOnly: tags, resultTypes: ['violations'] })).violations
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`),
  )
}
