import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openPage } from '../support/vault-page.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

const walk = [
  '# The **old** walk',
  '- [ ] **Meet** at [[Mill|the mill]] at ==nine==, see [map](https://example.org)',
  '| Place | When |\n|---|---|\n| [[Mill]] | 10:00 |',
].join('\n\n')

const vault = vaultInBrowser({ 'v/Mill.md': '# Mill\n\nText at 10:00\n', 'v/Walk.md': walk })

test('hits and backlinks are shown as words with the hit highlighted, not as Markdown', async () => {
  verifies('ui.backlinks')
  const { svcd, page } = vault.now()
  await page.goto(`${svcd.url}/v/v/Mill.md`)
  const linked = page.getByRole('region', { name: 'Linked from' })
  await linked.getByText('Meet at the mill at nine, see map').waitFor()
  await linked.getByText('The old walk', { exact: true }).waitFor()
  expect(await linked.locator('mark').allInnerTexts()).toEqual(['the mill', 'Mill'])

  await page.getByRole('searchbox', { name: 'Search' }).fill('nine')
  const hit = page.getByRole('list', { name: 'Search results' }).getByRole('link', { name: 'nine' })
  await hit.waitFor()
  expect(await hit.innerText()).toMatch(/^3\s+Meet at the mill at nine, see map$/)
  expect(await hit.locator('mark').innerText()).toBe('nine')
  await hit.click()
  await page.getByRole('heading', { name: 'The old walk' }).waitFor()
})

test('times have plain zeros', async () => {
  const { svcd, page } = vault.now()
  await page.goto(`${svcd.url}/v/v/Mill.md`)
  await page.getByRole('region', { name: 'Linked from' }).getByText('10:00').waitFor()
  await page.waitForFunction(() =>
    [...document.fonts].some(({ unicodeRange, status }) => unicodeRange === 'U+30' && status === 'loaded'),
  )
})

test('a phone shows no keys, and makes the note that was looked for by a tap', async () => {
  verifies('ui.phone')
  const { svcd, page } = vault.now()
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const phone = await openPage(page.context().browser()!, { troubles: [], ...options })
  await phone.goto(`${svcd.url}/v/v/Mill.md`)
  await phone.getByRole('article', { name: 'Note' }).waitFor()
  await phone.keyboard.press('Control+k')
  const field = phone.getByRole('combobox', { name: 'Open a note' })
  await field.fill('Pond')
  expect(await phone.locator('kbd:visible').count()).toBe(0)
  await phone.getByRole('button', { name: 'New note “Pond”' }).tap()
  await phone.getByRole('dialog', { name: 'New note' }).waitFor()
  await phone.close()

  await page.goto(`${svcd.url}/v/v/Mill.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Open a note' }).fill('Wood')
  expect(await page.locator('kbd:visible').allInnerTexts()).toEqual(['Ctrl', 'Shift', 'F', 'Shift', 'Enter'])
})

test('when not everything was looked through in time, the page searches again by itself', async () => {
  const { svcd, page } = vault.now()
  let asked = 0
  await page.route('**/search?*', async (route) => {
    asked += 1
    if (asked > 1) return route.continue()
    const response = await route.fetch()
    const none = { ...((await response.json()) as object), hits: [], total: 0, partial: true }
    return route.fulfill({ response, json: none })
  })
  await page.goto(`${svcd.url}/v/v/Mill.md`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('nine')
  await page.getByRole('list', { name: 'Search results' }).getByRole('link', { name: 'nine' }).waitFor()
  expect(asked).toBeGreaterThan(1)
})

const refused = (status: number, code: string) => ({ status, json: { ok: false, error: { code, message: code } } })

test('a search that fails while the host wakes up runs again by itself', async () => {
  const { svcd, page } = vault.now()
  let asked = 0
  const awake = Promise.withResolvers<void>()
  await page.route('**/search?*', async (route) => {
    if (++asked <= 2) return route.fulfill(refused(503, 'daemon_waking'))
    await awake.promise
    return route.continue()
  })
  await page.goto(`${svcd.url}/v/v/Mill.md`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('nine')
  await page.getByRole('alert').filter({ hasText: 'The vault is waking up' }).waitFor()
  awake.resolve()
  await page.getByRole('list', { name: 'Search results' }).getByRole('link', { name: 'nine' }).waitFor()
  expect(asked).toBe(3)
})

test('hits stay while more of them cannot be loaded; after a failure that passes they are loaded by themselves', async () => {
  const { svcd, page } = vault.now()
  const failures = [refused(500, 'internal'), refused(503, 'daemon_waking')]
  const awake = Promise.withResolvers<void>()
  await page.route('**/search?*', async (route) => {
    const isFirst = !route.request().url().includes('cursor=')
    const failure = isFirst ? undefined : failures.shift()
    if (failure) return route.fulfill(failure)
    if (!isFirst) await awake.promise
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/&cursor=.*/, ''),
    })
    const { hits, ...rest } = (await response.json()) as { hits: object[] }
    const json = isFirst
      ? { ...rest, hits: hits.slice(0, 1), nextCursor: '1' }
      : { ...rest, hits: hits.slice(1), nextCursor: undefined }
    return route.fulfill({ response, json })
  })
  await page.goto(`${svcd.url}/v/v/Mill.md`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('mill')
  const hits = page.getByRole('list', { name: 'Search results' }).getByRole('listitem')
  const more = page.getByRole('button', { name: 'Show more' })
  const alert = page.getByRole('alert').filter({ hasText: 'More hits could not be loaded' })

  await more.click()
  await alert.filter({ hasText: 'Something went wrong' }).waitFor()
  expect(await hits.count()).toBe(1)

  await more.click()
  await alert.filter({ hasText: 'The vault is waking up' }).waitFor()
  expect(await hits.count()).toBe(1)
  awake.resolve()
  await more.waitFor({ state: 'detached' })
  expect(await hits.count()).toBe(2)
  expect(await alert.count()).toBe(0)
})
