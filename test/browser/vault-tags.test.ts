import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import type { Svcd } from '../support/svcd.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const vault = vaultInBrowser({
  'empty/.svc/': '',
  'v/Plan.md': '---\ntags: [home]\n---\n\n# Plan\n\n#work/plan\n',
  'v/Report.md': '# Report\n\n#work/report and #work\n',
  'v/Old.md': '# Old\n\n#work/plan\n',
})

beforeEach(() => {
  ;({ svcd, page } = vault.now())
})

const tag = (name: string) => page.getByRole('button', { name: `Search for the tag ${name}`, exact: true })

test('tags stand in a tree with counts, are found, and open the search', async () => {
  verifies('ui.tags')
  await page.goto(`${svcd.url}/v/v`)
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  await page.getByRole('status').filter({ hasText: '4 tags' }).waitFor()
  const lines = async () => (await page.getByRole('list', { name: 'Tags' }).innerText()).split('\n')
  // A daemon that has just started counts the tags of one note after the other.
  await expect
    .poll(async () => (await lines()).map((line) => line.trim()))
    .toEqual(['#home 1 note', '#work 1 note', '#plan 2 notes', '#report 1 note'])
  await page.getByRole('searchbox', { name: 'Find a tag' }).fill('REP')
  await page.getByRole('status').filter({ hasText: '2 tags with “REP”' }).waitFor()
  expect([await tag('home').count(), await tag('work/report').count()]).toEqual([0, 1])
  await page.keyboard.press('Escape')
  await tag('work/plan').click()
  await page.locator('.results', { hasText: 'Plan' }).waitFor()
  expect(await page.getByRole('searchbox', { name: 'Search notes' }).inputValue()).toBe('tag:work/plan')
})

test('a vault without tags says how to write one', async () => {
  await page.goto(`${svcd.url}/v/empty?view=tags`)
  await page.getByText('No note has a tag yet.').waitFor()
})

test('axe finds nothing on the tags, light and dark', async () => {
  verifies('ui.accessible')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${svcd.url}/v/v?view=tags`)
    await tag('work').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
  }
})
