import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { intercept } from '../support/intercept.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { openPage } from '../support/vault-page.ts'

let svcd: Svcd
let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  const home = await homeWith({
    'empty/.svc/': '',
    'v/Hub.md': '# Hub\n\n[[One]] [[Two]] [[Plans/Three]] ![[picture.png]]\n',
    'v/One.md': '# One\n\n[[Hub]]\n',
    'v/Two.md': '# Two\n',
    'v/Plans/Three.md': '# Three\n\n[[Four]]\n',
    'v/Four.md': '# Four\n',
    'v/Alone.md': '# Alone\n',
    'v/picture.png': new Uint8Array([137, 80, 78, 71]),
  })
  svcd = await startSvcd({ home })
  browser = await openBrowser()
})

beforeEach(async () => {
  await page?.close()
  page = await openPage(browser, { troubles, reducedMotion: 'reduce' })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

const picture = () => page.getByRole('application')
const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text })
const file = (name: string) => page.getByRole('list', { name: 'Files' }).getByRole('button', { name })

/** Opens a graph and waits until its picture is complete. */
async function open(address: string) {
  await page.goto(svcd.url + address)
  // Parts that load late, such as the tabs, change the size of the picture.
  await page.waitForLoadState('networkidle')
  await drawn()
}
/** Waits for the picture of the whole answer: the daemon may still be reading the vault when the page asks first. */
async function drawn() {
  const picture = page.locator('canvas[data-layout=settled][data-drawn=whole]')
  await picture.waitFor()
  await page.getByText('Not everything has been looked at yet').waitFor({ state: 'detached' })
  await picture.waitFor()
}

/** The number of pixels of the files and links that are not empty. */
const inkOf = () =>
  page.locator('canvas[aria-hidden]').evaluate((drawn: HTMLCanvasElement) => {
    const copy = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d')!
    copy.drawImage(drawn, 0, 0)
    const { data } = copy.getImageData(0, 0, drawn.width, drawn.height)
    return data.filter((value, at) => at % 4 === 3 && value > 0).length
  })

test('the links of the vault are a picture and a list, walked through by keyboard', async () => {
  verifies('ui.graph')
  await page.goto(`${svcd.url}/v/v`)
  await page.getByRole('button', { name: 'Links', exact: true }).click()
  await status('6 notes, 1 attachment, 5 links, 1 without a link').waitFor()
  await drawn()
  await until('the picture has ink', async () => (await inkOf()) > 500)
  expect(await file('').first().innerText()).toContain('Hub')

  await picture().focus()
  await page.keyboard.press('ArrowRight')
  const first = await page.locator('.graph-marked b').innerText()
  const next = async (key: string) => {
    await page.keyboard.press(key)
    return page.locator('.graph-marked b').innerText()
  }
  const others = [await next('ArrowLeft'), await next('ArrowUp'), await next('ArrowDown'), await next('ArrowRight')]
  expect(others.some((name) => name !== first)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: others.at(-1)!, exact: true }).waitFor()
})

test('files can be left out and found, and the listed ones open', async () => {
  verifies('ui.graph')
  await open('/v/v?view=graph')
  await page.getByRole('checkbox', { name: 'Attachments' }).uncheck()
  await status('6 notes, 4 links, 1 without a link').waitFor()
  await page.getByRole('checkbox', { name: 'Files without links' }).uncheck()
  await status('5 notes, 4 links').waitFor()
  await drawn()
  await page.getByRole('searchbox', { name: 'Find a file in the graph' }).fill('plans/')
  expect(await file('').count()).toBe(1)
  await file('Three').focus()
  await page.locator('.graph-marked', { hasText: 'Three, 2 links' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Three' }).waitFor()
})

test('the surroundings of a note grow link by link; a click in the picture opens', async () => {
  verifies('ui.graph')
  await page.goto(`${svcd.url}/v/v/Two.md`)
  await page.getByRole('button', { name: 'Show the links around this note' }).click()
  await status('2 notes, 1 link').waitFor()
  await page.getByRole('button', { name: '2 links' }).click()
  await status('4 notes, 1 attachment, 4 links').waitFor()
  await page.getByRole('button', { name: '3 links' }).click()
  await status('5 notes, 1 attachment, 5 links').waitFor()

  await open('/v/v/Alone.md?view=graph')
  await until('the file is in the middle', async () => {
    await picture().hover({ position: { x: 5, y: 5 } })
    await picture().hover()
    return (await page.locator('.graph-marked', { hasText: 'Alone, 0 links' }).count()) === 1
  })
  await picture().click()
  await page.waitForURL('**/v/v/Alone.md')
})

test('a marked file stays marked when the graph is read again with its files in another order', async () => {
  verifies('ui.graph')
  const held = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/graph?*', async (route) => {
    const response = await route.fetch()
    asked += 1
    if (asked === 1) {
      const answer = (await response.json()) as { nodes: unknown[] }
      return route.fulfill({ response, json: { ...answer, nodes: answer.nodes.toReversed(), partial: true } })
    }
    await held.promise
    return route.fulfill({ response })
  })
  await page.goto(`${svcd.url}/v/v?view=graph`)
  await file('Four').focus()
  await page.locator('.graph-marked', { hasText: 'Four' }).waitFor()
  held.resolve()
  await drawn()
  expect(await page.locator('.graph-marked').innerText()).toContain('Four')
})

test('wheel, drag and keys zoom and move the picture', async () => {
  await open('/v/v/Alone.md?view=graph')
  const mark = page.locator('.graph-marked b')
  /** The middle of the picture on the page. Parts that load late change the size of the picture. */
  const middle = async () => {
    const { x, y, width, height } = (await picture().boundingBox())!
    return { x: x + width / 2, y: y + height / 2 }
  }
  /** Whether the file is this far from the middle of the picture. */
  const isHit = async (x: number, y: number) => {
    await picture().hover({ position: { x: 5, y: 5 } })
    await mark.waitFor({ state: 'detached' })
    const { width, height } = (await picture().boundingBox())!
    await picture().hover({ position: { x: width / 2 + x, y: height / 2 + y } })
    // The mark appears in a later task than the one that moves the pointer.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    return (await mark.count()) === 1
  }
  await until('the file is in the middle', () => isHit(0, 0))
  const start = await middle()
  await page.mouse.move(start.x + 200, start.y)
  await page.mouse.down()
  // Moves that come faster than the page is drawn.
  const steps = [20, 60, 100].map((by) => ({ clientX: start.x + 200 + by, clientY: start.y + by / 2 }))
  await picture().evaluate((canvas, moves) => {
    for (const move of moves)
      canvas.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerId: 1, ...move }))
  }, steps)
  await page.mouse.up()
  await until('the file has moved', async () => !(await isHit(0, 0)) && (await isHit(100, 50)))

  const { x, y } = await middle()
  await page.mouse.move(x, y)
  await page.mouse.wheel(0, 2000)
  await until('the file is nearer to the middle', async () => !(await isHit(100, 50)))
  await page.getByRole('button', { name: 'Show all' }).click()
  await until('the file is in the middle again', () => isHit(0, 0))
})

test('a graph that cannot be read says so and is read again; one without files says that', async () => {
  const answer = { status: 500, json: { ok: false, error: { code: 'internal', message: 'It failed.' } } }
  const pass = await intercept(page, '**/graph?*', (route) => route.fulfill(answer))
  await page.goto(`${svcd.url}/v/v?view=graph`)
  await page.getByRole('alert').waitFor()
  pass()
  await page.getByRole('button', { name: 'Try again' }).click()
  await drawn()
  await page.goto(`${svcd.url}/v/empty?view=graph`)
  await page.getByText('There is nothing to show yet.').waitFor()
})

test('the graph fits on a phone, and axe finds nothing on it, light and dark', async () => {
  verifies('ui.graph', 'ui.accessible')
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await open('/v/v?view=graph')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    const { height } = (await picture().boundingBox())!
    expect(height).toBeGreaterThan(200)
  }
})
