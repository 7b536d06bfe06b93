import type { Locator, Page } from 'playwright-core'

/** Drops files and folders of this machine on the middle of an element, as a file manager does. */
export async function dropFiles(page: Page, target: Locator, files: string[]): Promise<void> {
  const box = (await target.boundingBox())!
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const data = { items: [], files, dragOperationsMask: 1 }
  const devtools = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data })
  await devtools.detach()
}
