import type { Page } from 'playwright-core'

/**
 * Keeps every message of the pages that `page` opens from now on, as the pointer of a person who reads it does. The page
 * itself does so: a pointer that a busy test sends may come after the message has gone.
 */
export async function holdMessages(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const hold = new MutationObserver(() =>
      document.querySelector('.toast > *')?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true })),
    )
    hold.observe(document, { childList: true, subtree: true })
  })
}
