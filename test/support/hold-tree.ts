import type { Page } from 'playwright-core'

/** Holds the responses with the vault's tree until `release`, for what a page does without it. */
export async function holdTree(page: Page) {
  const held = Promise.withResolvers<void>()
  let requests = 0
  await page.route(/\/tree(?:\?|$)/, async (route) => {
    requests += 1
    await held.promise
    await route.continue()
  })
  return { requests: () => requests, release: held.resolve }
}
