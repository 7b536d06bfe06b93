import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, test } from 'vitest'
import { verifies } from '../requirements.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const vault = vaultInBrowser({
  'v/Here.md': '# Here\n\n## Own part\n\n',
  'v/Plans/Target.md': '# Target\n\n## First part\n\n## Second part\n\nWords ^sum\n\n#plan/near and #plan/far\n',
})

beforeEach(() => {
  ;({ svcd, page } = vault.now())
})

/** Types a text and picks one of the offered completions. */
async function choose(typed: string, offered: string) {
  await page.keyboard.type(typed)
  await page.getByRole('option', { name: offered }).click()
}

test('links are completed to notes, headings and blocks, and tags to those of the vault', async () => {
  verifies('ui.completion')
  await page.goto(`${svcd.url}/v/v/Here.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  // The names that are offered come from the tree.
  await page.getByRole('treeitem', { name: 'Here', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).click()
  await page.keyboard.press('Control+End')
  await choose('[[tar', 'Target')
  await choose(' [[Target#', 'Second part')
  await choose(' [[Target#^', 'sum')
  await choose(' [[#own', 'Own part')
  await choose(' #far', 'plan/far')
  const written = '[[Target]] [[Target#Second part]] [[Target#^sum]] [[#Own part]] #plan/far'
  await until('the links are in the file', async () =>
    (await readFile(svcd.file('v', 'Here.md'), 'utf8')).includes(written),
  )
})
