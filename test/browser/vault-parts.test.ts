import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { intercept } from '../support/intercept.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { holdMessages } from '../support/hold-messages.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const PART = '**/assets/tags-page-*.js'

beforeAll(async () => {
  const home = await homeWith({
    'v/Note.md': '# Note\n\n#tag\n',
    'v/Written.md': '# Written\n',
    'v/Task.md': '# Task\n\n- [ ] todo\n',
    'v/Fields.md': '---\nstate: open\n---\n\n# Fields\n\n- [ ] todo\n',
  })
  // Keep the port over restarts, so that the address of the page stays the same.
  svcd = await startSvcd({ home, env: { SVC_PORT: String(await freePort()) } })
  browser = await openBrowser()
})

beforeEach(async () => {
  await page?.close()
  page = await browser.newPage()
  await holdMessages(page)
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

const tags = () => page.getByRole('heading', { name: 'Tags', exact: true })

test('when a part is gone, the page reloads at the requested address', async () => {
  verifies('ui.missing-parts')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  let isAnew = false
  page.on('request', (request) => (isAnew ||= request.isNavigationRequest()))
  await page.route(PART, (route) => (isAnew ? route.continue() : route.abort()))
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  await tags().waitFor()
  expect([isAnew, page.url()]).toEqual([true, `${svcd.url}/v/v?view=tags`])
})

test('a part that cannot be loaded shows a message, with a way to try again', async () => {
  verifies('ui.missing-parts')
  const pass = await intercept(page, PART, (route) => route.fulfill({ status: 404, body: '' }))
  let loads = 0
  page.on('domcontentloaded', () => (loads += 1))
  await page.goto(`${svcd.url}/v/v?view=tags`)
  // The page reloads once by itself, and then leaves that to the person.
  await until('the page has loaded twice', () => loads === 2)
  const again = page.getByRole('button', { name: 'Load it again' })
  await again.waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  pass()
  await again.click()
  await tags().waitFor()
})

describe('a missing part does not reload the page while somebody writes', () => {
  let loads: number
  const missing = () => page.getByText('This part of the page could not be loaded')
  /** The page asks whether the host is there before it reloads. */
  const probe = () => page.waitForResponse((response) => response.request().method() === 'HEAD')

  beforeEach(async () => {
    loads = 0
    page.on('domcontentloaded', () => (loads += 1))
    await page.route(/\/assets\/(?:search-results|tab-strip)-.*\.js$/, (route) => route.fulfill({ status: 404 }))
    await page.goto(`${svcd.url}/v/v/Written.md`)
    await page.getByRole('article', { name: 'Note' }).waitFor()
  })

  test('in the search', async () => {
    verifies('ui.missing-parts')
    const search = page.getByRole('searchbox', { name: 'Search notes' })
    await Promise.all([probe(), search.fill('Writ')])
    await missing().waitFor()
    await page.keyboard.type('ten')
    expect([await search.inputValue(), loads]).toEqual(['Written', 1])
  })

  test('in a note', async () => {
    verifies('ui.missing-parts')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Note text' }).click()
    await page.keyboard.press('Control+End')
    await Promise.all([probe(), page.keyboard.press('Alt+s')])
    await until('the tabs of both panes are missing', async () => (await missing().count()) === 2)
    await page.keyboard.type('and on')
    const file = () => readFile(svcd.file('v', 'Written.md'), 'utf8')
    await until('it is in the file', async () => (await file()).endsWith('and on'))
    expect(loads).toBe(1)
  })
})

describe('after an update of the host, somebody who writes is told that the part for editing is missing', () => {
  let loads: number
  let pass: () => void
  const again = (where: 'status' | 'main') =>
    page.getByRole(where).filter({ hasText: 'part of th' }).getByRole('button', { name: 'Load it again' })

  beforeEach(async () => {
    loads = 0
    page.on('domcontentloaded', () => (loads += 1))
    pass = await intercept(page, '**/assets/live-parts-*.js', (route) => route.fulfill({ status: 404 }))
    await page.goto(`${svcd.url}/v/v/Fields.md`)
    await page.getByRole('article', { name: 'Note' }).waitFor()
  })

  test('in place of the editor that was requested from the search', async () => {
    verifies('ui.missing-parts')
    await page.getByRole('searchbox', { name: 'Search notes' }).focus()
    await page.keyboard.press('Control+e')
    await again('main').waitFor()
    expect([await page.getByText('Loading the editor…').count(), loads]).toEqual([0, 1])
    pass()
    await again('main').click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Note text' }).waitFor()
  })

  test('at the foot of the page when a task is ticked', async () => {
    verifies('ui.missing-parts')
    await page.getByRole('article', { name: 'Note' }).locator('.task-box').click()
    await again('status').click()
    await until('the page has loaded again', () => loads === 2)
  })

  test('beside the property that was changed', async () => {
    verifies('ui.missing-parts')
    await page.getByRole('button', { name: 'Change properties' }).click()
    await page.getByRole('textbox', { name: 'state', exact: true }).fill('done')
    await page.keyboard.press('Enter')
    await page.getByText('“state” could not be changed: a part of this page could not be loaded.').waitFor()
    expect(loads).toBe(1)
  })
})

test('while the host is away, a missing part disturbs nothing else: a person keeps writing', async () => {
  verifies('ui.missing-parts')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Note text' })
  await editor.press('Control+End')
  await page.keyboard.type('one ')
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
  await svcd.kill()
  await page.getByRole('searchbox', { name: 'Search notes' }).fill('Note')
  await page.getByRole('alert').getByText('This part of the page could not be loaded').waitFor()
  await editor.click()
  await editor.press('Control+End')
  await page.keyboard.type('two')
  await svcd.restart()
  await page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
  expect(await readFile(svcd.file('v', 'Note.md'), 'utf8')).toBe('# Note\n\n#tag\none two')
})

test('while the host is away, keys still move the focus', async () => {
  const loaded = page.waitForResponse('**/assets/focus-parts-*.js')
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  // The first action of the person loads what keys need.
  await page.mouse.move(5, 5)
  await (await loaded).finished()
  await svcd.kill()
  await page.keyboard.press('F6')
  await until('the focus is in the tree', () =>
    page.evaluate(
      () => document.activeElement?.closest('.sidebar') !== null && document.activeElement !== document.body,
    ),
  )
  await svcd.restart()
})

test('while the host is away, an editor that was not loaded before says so, and the page loads it when the host is back', async () => {
  verifies('ui.missing-parts')
  await page.goto(`${svcd.url}/v/v/Task.md`)
  const task = page.getByRole('article', { name: 'Note' }).locator('.task-box')
  await task.waitFor()
  await svcd.kill()
  /** The page asks whether the host is there before it reloads. */
  const probe = () => page.waitForEvent('requestfailed', (request) => request.method() === 'HEAD')
  await Promise.all([probe(), task.click()])
  await page.getByText('The host of this vault cannot be reached.').waitFor()
  await Promise.all([probe(), page.getByRole('button', { name: 'Edit' }).click()])
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).waitFor()
  await Promise.all([page.waitForEvent('domcontentloaded'), svcd.restart()])
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).press('Control+End')
  await page.keyboard.type('typed')
  const file = () => readFile(svcd.file('v', 'Task.md'), 'utf8')
  await until('it is in the file', async () => (await file()) === '# Task\n\n- [ ] todo\ntyped')
})
