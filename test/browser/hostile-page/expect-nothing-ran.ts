import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'

/**
 * The effects of the hostile texts in the pages of a browser: the numbers of calls that ran, and requests to other
 * hosts.
 */
export type Watch = { hits: number[]; elsewhere: string[] }

/** Records each call of `hit` and each request to another host, for all pages that are opened afterwards. */
export async function watchPages(context: BrowserContext, origin: string): Promise<Watch> {
  const watch: Watch = { hits: [], elsewhere: [] }
  await context.exposeBinding('hit', (_source, number: number) => void watch.hits.push(number))
  // A request that the CSP blocks does not arrive here.
  const isElsewhere = (url: URL) => /^https?:$/.test(url.protocol) && url.origin !== origin
  await context.route(isElsewhere, (route) => {
    watch.elsewhere.push(route.request().url())
    return route.abort()
  })
  return watch
}

/**
 * Provokes everything in the page. Expects that nothing ran, that nothing was requested, and that nothing dangerous is
 * in the page.
 */
export async function expectNothingRan(page: Page, { where, watch }: { where: string; watch: Watch }): Promise<void> {
  await until(`${where} is still`, () => isStill(page))
  await provoke(page)
  const { hits, elsewhere } = watch
  expect([where, hits.splice(0), elsewhere.splice(0), await unsafeParts(page)]).toEqual([where, [], [], []])
  expect([
    where,
    await page.evaluate(() => [Object.hasOwn(Object.prototype, 'hacked'), document.body.isConnected]),
  ]).toEqual([where, [false, true]])
}

/** Formulas are rendered, diagrams are drawn, and no page is loading, also in the editor. */
const isStill = (page: Page) =>
  page.evaluate(() => {
    const busy = 'main[aria-busy=true], .code[aria-busy], .math[data-math]:not(.set, .wrong)'
    const editor = document.querySelector('.editor-host')?.shadowRoot
    return !document.querySelector(busy) && !editor?.querySelector(busy)
  })

/** Does what a person might do to everything in the page: hover, focus, press. Links are not followed. */
const provoke = (page: Page) =>
  page.evaluate(async () => {
    const types = ['mouseover', 'mouseenter', 'pointerenter', 'mousemove', 'focus', 'focusin', 'toggle', 'animationend']
    const editor = document.querySelector('.editor-host')?.shadowRoot
    const drawn = editor?.querySelectorAll('.cm-rendered *, .cm-table *') ?? []
    for (const element of [
      ...document.querySelectorAll('main *, nav [role=tree] *, .results *, dialog *, .link-preview *'),
      ...drawn,
    ])
      for (const type of types) element.dispatchEvent(new Event(type, { bubbles: type !== 'focus' }))
    for (const element of document.querySelectorAll('article :not(a, a *, button, input, summary)'))
      element.dispatchEvent(new MouseEvent('click'))
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  })

/** Elements, handlers and addresses in the page that could run or request something, and should not be there. */
export const unsafeParts = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = []
    const forbidden =
      'script, iframe:not(.diagram-frame), object, embed, form, base, meta, link, style, template, frame, svg [onload]'
    for (const element of document.querySelectorAll(
      `:is(main, nav [role=tree], dialog, .link-preview) :is(${forbidden})`,
    ))
      if (!element.closest('.cm-editor')) found.push(element.outerHTML.slice(0, 120))
    const editor = document.querySelector('.editor-host')?.shadowRoot
    for (const element of editor?.querySelectorAll(`.cm-content :is(${forbidden})`) ?? [])
      found.push(element.outerHTML.slice(0, 120))
    for (const element of [...document.querySelectorAll('body *'), ...(editor?.querySelectorAll('*') ?? [])])
      for (const { name, value } of element.attributes) {
        const plain = value.replaceAll(/[^!-~]/g, '').toLowerCase()
        if (name.startsWith('on')) found.push(`${name}=${value}`)
        else if (/^(?:xlink:)?(?:href|src|action|formaction|data|poster|srcset|ping|background)$/.test(name))
          if (/^(?:javascript|vbscript|data:(?!image\/(?:png|gif|jpeg|webp|svg)))/.test(plain))
            found.push(`${name}=${value}`)
      }
    return found
  })
