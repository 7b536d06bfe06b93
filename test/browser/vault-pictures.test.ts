import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { smallPdf } from '../support/small-pdf.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const fence = (text: string) => `\`\`\`mermaid\n${text}\n\`\`\``
const hostile = [
  'graph LR\nA["<img src=x onerror=window.top.hacked=1>"] --> B\nclick A "javascript:window.top.hacked=1"',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\ngraph LR\nA["<script>parent.hacked=1</script>"] --> B\nclick A call alert()',
]

const vault = vaultInBrowser({
  'v/Drawn.md': `# Drawn\n\n${fence('graph LR\nA[One] --> B[Two]')}\n\n${fence('graph LR\nA -->')}\n`,
  'v/Hostile.md': `# Hostile\n\n${hostile.map(fence).join('\n\n')}\n\n${fence('pie\n"a": 1')}\n`,
  'v/Paper.md': '# Paper\n\n![[paper.pdf#page=2]]\n\n![[broken.pdf]]\n',
  'v/paper.pdf': smallPdf('First sheet', 'Second sheet'),
  'v/broken.pdf': 'no PDF',
  'v/Letter.md': '# Letter\n\n![[paper.pdf]]\n',
  'v/long.pdf': smallPdf(...Array.from({ length: 30 }, (_, at) => `Sheet ${at + 1}`)),
  'v/slow.pdf': smallPdf('Slow sheet'),
})

beforeEach(() => {
  ;({ svcd, page } = vault.now())
})

const open = async (note: string) => {
  await page.goto(`${svcd.url}/v/v/${note}`)
  return page.getByRole('article')
}

test('a diagram is drawn as a picture; a wrong one shows its source and where it is wrong', async () => {
  verifies('ui.diagram-frame', 'ui.diagram-fails')
  const note = await open('Drawn.md')
  const picture = note.getByRole('img', { name: 'Diagram: graph LR' })
  await picture.waitFor()
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50)
  await note.getByText('This diagram could not be drawn: Parse error on line').waitFor()
  expect(await note.locator('code', { hasText: 'A -->' }).isVisible()).toBe(true)

  const source = note.getByText('A[One] --> B[Two]')
  expect(await source.isVisible()).toBe(false)
  await note.getByRole('button', { name: 'Source' }).press('Enter')
  expect(await source.isVisible()).toBe(true)
})

test('a script in a diagram reaches nothing of the page', async () => {
  verifies('ui.diagram-frame')
  const note = await open('Hostile.md')
  await note.getByRole('img', { name: 'Diagram: pie' }).waitFor()
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  // The frame has an opaque origin, and therefore neither storage nor cookies.
  const frame = page.frames().find((one) => one.url().endsWith('/_svc/diagram'))!
  expect(await frame.evaluate(() => window.origin)).toBe('null')
  const reached = await frame.evaluate(() => {
    try {
      return window.top!.document.title
    } catch (thrown) {
      return (thrown as Error).name
    }
  })
  expect(reached).toBe('SecurityError')
})

test('a drawing that does not end is aborted; the next one gets a new frame', async () => {
  verifies('ui.diagram-fails')
  await page.clock.install()
  // A frame that reports that it is ready but never draws. It tells this test when it is requested to draw.
  const silent = `<script src="/_svc/diagram/silent.js"></script>`
  let asked = 0
  await page.route('**/_svc/diagram', (route) =>
    ++asked === 1 ? route.fulfill({ contentType: 'text/html', body: silent }) : route.continue(),
  )
  await page.route('**/_svc/diagram/silent.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'onmessage = () => (new Image().src = "/asked-to-draw.png"); parent.postMessage({ ready: true }, "*")',
    }),
  )
  const drawing = page.waitForRequest('**/asked-to-draw.png')
  const note = await open('Drawn.md')
  await drawing
  await note.getByText('A[One] --> B[Two]').waitFor()
  const late = note.getByText('This diagram could not be drawn: It takes too long to draw.')
  // While the computer slept, nothing could be drawn.
  await page.clock.fastForward(60_000)
  expect(await late.count()).toBe(0)
  await until('the drawing is aborted', async () => {
    await page.clock.runFor(1000)
    return late.isVisible()
  })
  await note.getByText('This diagram could not be drawn: Parse error on line').waitFor()
  expect(asked).toBe(2)
})

test('an embedded PDF opens at its page, with text that can be selected; a broken one can be downloaded', async () => {
  verifies('ui.pdf')
  const note = await open('Paper.md')
  const paper = note.getByRole('group', { name: 'paper.pdf, 2 pages' })
  await paper.getByText('Second sheet').waitFor()
  await note.getByText(/^Page [12] of 2$/).waitFor()
  await note.getByText('broken.pdf could not be shown.').waitFor()
  expect(await note.getByRole('link', { name: 'Download it' }).getAttribute('download')).toBe('broken.pdf')
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)

  await open('paper.pdf')
  await page.getByRole('group', { name: 'paper.pdf, 2 pages' }).getByText('First sheet').waitFor()
})

/** Records what the page asks of its workers, from the next page on. Returns how often it asked for this. */
async function recordAsked() {
  await page.addInitScript(() => {
    const asked: string[] = []
    Object.assign(window, { asked })
    const post = Worker.prototype.postMessage as (...given: unknown[]) => void
    Worker.prototype.postMessage = function (this: Worker, ...given: unknown[]) {
      const { action, data } = given[0] as { action?: string; data?: { pageIndex?: number } | null }
      asked.push(`${action} ${data?.pageIndex ?? ''}`.trim())
      post.apply(this, given)
    }
  })
  return (what: string) =>
    page.evaluate((one) => (window as unknown as { asked: string[] }).asked.filter((it) => it === one).length, what)
}

test('of a long PDF only the pages near the screen are drawn; those that were left are freed', async () => {
  verifies('ui.pdf')
  const asked = await recordAsked()
  const view = await open('long.pdf')
  const pages = page.getByRole('group', { name: 'long.pdf, 30 pages' })
  await pages.getByText('Sheet 1', { exact: true }).waitFor()
  await view.getByText('Page 1 of 30', { exact: true }).waitFor()
  expect(await pages.locator('canvas').count()).toBeLessThan(10)

  await pages.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await pages.getByText('Sheet 30', { exact: true }).waitFor()
  await view.getByText('Page 30 of 30', { exact: true }).waitFor()
  await until('the first page is gone', async () => (await pages.getByText('Sheet 1', { exact: true }).count()) === 0)
  expect(await pages.locator('canvas').count()).toBeLessThan(10)
  expect(await asked('GetOperatorList 0')).toBe(1)

  await pages.evaluate((element) => element.scrollTo({ top: 0 }))
  await pages.getByText('Sheet 1', { exact: true }).waitFor()
  // What was read of it was freed too, so it is read again.
  expect(await asked('GetOperatorList 0')).toBe(2)
})

test('a PDF that a note embeds is closed when the note is left', async () => {
  verifies('ui.pdf')
  const asked = await recordAsked()
  const note = await open('Letter.md')
  await note.getByText('First sheet').waitFor()
  expect(await asked('Terminate')).toBe(0)
  await page.getByRole('treeitem', { name: 'Drawn' }).click()
  await note.getByRole('heading', { name: 'Drawn', level: 1 }).waitFor()
  await until('the PDF is closed', async () => (await asked('Terminate')) === 1)
})

test('a PDF that opens slowly does not replace the one that was opened after it', async () => {
  verifies('ui.pdf')
  const asked = await recordAsked()
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/attachments/slow.pdf', async (route) => {
    await released
    await route.continue()
  })
  const requested = page.waitForRequest('**/attachments/slow.pdf')
  await open('slow.pdf')
  await requested
  await page.getByRole('treeitem', { name: 'paper.pdf' }).click()
  await page.getByText('First sheet').waitFor()
  release()
  await until('the slow one is closed', async () => (await asked('Terminate')) === 1)
  expect(await page.getByRole('group', { name: /\.pdf, / }).getAttribute('aria-label')).toBe('paper.pdf, 2 pages')

  // Closing one while another one opens does not end the worker that both use.
  for (const name of ['long.pdf', 'slow.pdf', 'paper.pdf', 'long.pdf'])
    await page.getByRole('treeitem', { name }).click()
  await page.getByText('Sheet 1', { exact: true }).waitFor()
})
