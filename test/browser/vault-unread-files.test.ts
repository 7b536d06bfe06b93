import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

const vault = vaultInBrowser({ 'v/Open.md': '# Open\n' })

test('the tree says that not everything can be read, and names it', async () => {
  verifies('ui.unread-files')
  const { svcd, page } = vault.now()
  // Root can read everything, so the files that cannot be read are put into the answer of the daemon.
  const unread = { count: 3, paths: ['Closed', 'Secret.md'] }
  await page.route('**/api/vaults/v/tree', async (route) => {
    // None for a request that is under way when the page is closed.
    const response = await route.fetch().catch(() => undefined)
    if (response) await route.fulfill({ response, json: { ...((await response.json()) as object), unread } })
  })
  await page.goto(`${svcd.url}/v/v/Open.md`)
  const sidebar = page.getByRole('navigation', { name: 'Vault' })
  await sidebar.getByText('Not everything can be read').click()
  await sidebar.getByText('Secret.md').waitFor()
  expect(await sidebar.getByText('and 1 more').count()).toBe(1)
  expect(await accessibilityProblems(page)).toEqual([])
})

test('the tree of a vault that is read as a whole says nothing of that', async () => {
  verifies('ui.unread-files')
  const { svcd, page } = vault.now()
  await page.goto(`${svcd.url}/v/v/Open.md`)
  await page.getByRole('treeitem', { name: 'Open' }).waitFor()
  expect(await page.getByText('Not everything can be read').count()).toBe(0)
})
