import type { Locator, Page } from 'playwright-core'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { smallPdf } from '../support/small-pdf.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const paragraphs = Array.from({ length: 80 }, (_, nth) => `Paragraph number ${nth} of a long note.`)
const note = [
  '---\nstate: open\n---\n# Long note',
  'See [a page](https://example.org/page) and [[Other]].',
  '> [!note]- Folded\n> What is folded away.',
  ...paragraphs,
]

const vault = vaultInBrowser(
  {
    'v/Long.md': note.join('\n\n'),
    'v/Other.md': '# Other\n',
    'v/Paper.md': '# Paper\n\n![[long.pdf]]\n',
    'v/long.pdf': smallPdf(...Array.from({ length: 30 }, (_, at) => `Sheet ${at + 1}`)),
    'v/Drawn.md': '# Drawn\n\n```mermaid\ngraph LR\nA[One box] --> B[Another box]\n```\n',
  },
  { colorScheme: 'dark' },
)

beforeEach(async () => {
  ;({ svcd, page } = vault.now())
  await page.goto(`${svcd.url}/v/v/Long.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
})

/** The text of each page of a PDF. */
async function pagesOf(pdf: Buffer): Promise<string[]> {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0 })
  const document = await task.promise
  const numbers = Array.from({ length: document.numPages }, (_, at) => at + 1)
  const pages = await Promise.all(
    numbers.map(async (number) => {
      const { items } = await (await document.getPage(number)).getTextContent()
      return items.map((item) => ('str' in item ? item.str : '')).join(' ')
    }),
  )
  await task.destroy()
  return pages.map((text) => text.replaceAll(/\s+/g, ' '))
}

test('a note prints whole, with the addresses of its links and without the page around it', async () => {
  verifies('ui.print')
  await page.evaluate(() => document.fonts.ready)
  const pages = await pagesOf(await page.pdf({ format: 'A4' }))
  const text = pages.join(' ')
  expect(pages.length).toBeGreaterThan(2)
  for (const paragraph of paragraphs) expect(text).toContain(paragraph)
  expect(text).toContain('https://example.org/page')
  expect(text).toContain('What is folded away.')
  for (const around of ['New note', 'Search notes', 'Outline', 'Linked from', 'Saved', 'words', 'state'])
    expect(text).not.toContain(around)
})

test('a note prints in dark ink on white, also where the page is dark', async () => {
  verifies('ui.print')
  const brightness = () =>
    page
      .locator('.reading p')
      .first()
      .evaluate((element) => {
        const context = new OffscreenCanvas(1, 1).getContext('2d')!
        context.fillStyle = getComputedStyle(element).color
        context.fillRect(0, 0, 1, 1)
        return context.getImageData(0, 0, 1, 1).data[0]!
      })
  // Until all links are known, paragraphs may be replaced, and a paragraph outside the page has no colour.
  await until('the text is bright', async () => (await brightness()) > 150)
  await page.emulateMedia({ media: 'print' })
  expect(await brightness()).toBeLessThan(100)
})

/** The share of an element's pixels that are darker than a middle grey, on the screen or on paper. */
async function darkPart(element: Locator): Promise<number> {
  const picture = (await element.screenshot()).toString('base64')
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    let dark = 0
    for (let at = 0; at < data.length; at += 4) dark += Number(data[at]! + data[at + 1]! + data[at + 2]! < 3 * 128)
    return dark / (data.length / 4)
  }, picture)
}

test('a diagram prints in dark lines on white, also where the page is dark, and follows the theme back', async () => {
  verifies('ui.print')
  await page.goto(`${svcd.url}/v/v/Drawn.md`)
  const diagram = page.locator('.diagram-picture')
  const onPaper = page.locator('.diagram-on-paper')
  await onPaper.waitFor({ state: 'attached' })
  expect(await onPaper.isVisible()).toBe(false)
  expect(await darkPart(diagram)).toBeGreaterThan(0.8)

  await page.emulateMedia({ media: 'print' })
  await onPaper.waitFor()
  expect(await diagram.locator('img:visible').count()).toBe(1)
  const ink = await darkPart(diagram)
  expect(ink).toBeGreaterThan(0.002)
  expect(ink).toBeLessThan(0.2)

  await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  await onPaper.waitFor({ state: 'detached' })
  expect(await diagram.locator('img:visible').count()).toBe(1)
})

test.each(['Paper.md', 'long.pdf'])('of a PDF, what was looked at prints whole and nothing blank: %s', async (path) => {
  verifies('ui.print')
  await page.goto(`${svcd.url}/v/v/${path}`)
  const view = page.getByRole('group', { name: 'long.pdf, 30 pages' })
  await view.getByText('Sheet 1', { exact: true }).waitFor()
  const rest = page.getByText('Only the pages that were looked at are printed.')
  expect(await rest.isVisible()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  const sheets = await view.locator('.pdf-page:visible').count()
  expect(await view.locator('.pdf-page:visible canvas').count()).toBe(sheets)
  expect(sheets).toBeGreaterThan(0)
  expect(await view.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)
  expect(await rest.isVisible()).toBe(true)
})

test('the UI can be installed: its manifest and icons are there, and there is no service worker', async () => {
  verifies('ui.installable')
  const devtools = await page.context().newCDPSession(page)
  const { url, errors, data } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expect(new URL(url).origin).toBe(svcd.url)
  const { icons, start_url: start } = JSON.parse(data!) as {
    icons: { src: string; sizes: string }[]
    start_url: string
  }
  for (const { src, sizes } of icons) {
    const size = await page.evaluate(async (address) => {
      const { width, height } = await createImageBitmap(await (await fetch(address)).blob())
      return `${width}x${height}`
    }, src)
    expect([src, size]).toEqual([src, sizes])
  }
  expect(new URL(start, url).href).toBe(`${svcd.url}/`)
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // The pages of tests are private windows, in which nothing can be installed.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])
  expect(await page.evaluate(() => navigator.serviceWorker.getRegistrations())).toEqual([])
  const touch = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect((await page.request.get(svcd.url + touch)).headers()['content-type']).toBe('image/png')
})
