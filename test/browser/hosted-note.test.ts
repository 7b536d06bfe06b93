import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importLocalImage } from '../../embedded/local-images.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { startHostedPeople, windowOf, type HostedPeople } from '../support/hosted-people.ts'
import { operate } from '../support/operate.ts'
import { until } from '../support/until.ts'
import { startWatchingProxy, type WatchingProxy } from './hostile-page/watching-proxy.ts'

// Two people in the notes of a hosted vault, through browsers, gateway, relay and a daemon that the platform runs
// itself.

let hosted: HostedPeople
let browser: Browser
/** The proxy between Ben's browser and the platform. */
let network: WatchingProxy
const people: BrowserContext[] = []
const troubles: string[] = []

beforeAll(async () => {
  hosted = await startHostedPeople()
  const { platform, ada, ben } = hosted
  browser = await openBrowser()
  network = await startWatchingProxy({ portOf: () => platform.port })
  people.push(await windowOf(browser, { person: ada, platform }))
  people.push(await windowOf(browser, { person: ben, platform, proxy: { server: network.url } }))
  for (const context of people) context.on('weberror', (error) => troubles.push(error.error().message))
})

afterAll(async () => {
  await browser?.close()
  network?.close()
  await hosted?.platform.remove()
  expect(troubles).toEqual([])
})

const file = (name: string) => readFile(join(hosted.notes, `${name}.md`), 'utf8')
const editor = (page: Page) => page.getByRole('textbox', { name: 'Note text' })
const saved = (page: Page) => page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()

/** Writes a note on the volume and opens it for editing in each person's browser. */
async function openTogether(name: string, text: string): Promise<readonly [Page, Page]> {
  await writeFile(join(hosted.notes, `${name}.md`), text)
  const pages: Page[] = []
  for (const context of people) {
    const page = await context.newPage()
    await page.goto(hosted.platform.origin)
    await page.getByRole('link', { name: /^Open/ }).first().click()
    await page.getByRole('treeitem', { name, exact: true }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await editor(page).waitFor()
    // The page takes part in the session. Without this, what others write before it does has no author for it.
    await saved(page)
    pages.push(page)
  }
  return [pages[0]!, pages[1]!]
}

async function typeAt(page: Page, key: string, text: string) {
  await editor(page).click()
  await page.keyboard.press(key)
  await page.keyboard.type(text)
}

test('two people type into one hosted note at once; each sees the other, their words, and both are in the file', async () => {
  verifies('ui.live-editing', 'ui.presence', 'journey.browser')
  const [ada, ben] = await openTogether('Together', '# Together\n\nThe middle.\n')
  await Promise.all([
    typeAt(ada, 'Control+Home', 'Ada begins. '),
    typeAt(ben, 'Control+End', 'Ben ends.'),
    // The mark of her text fades after ten seconds, so wait for it while she types.
    ben.locator('.cm-who', { hasText: 'Ada Lovelace' }).waitFor(),
  ])
  for (const page of [ada, ben])
    await until('both texts are shown', async () =>
      /Ada begins\.[\s\S]*Ben ends\./.test(await editor(page).innerText()),
    )
  await Promise.all([saved(ada), saved(ben)])
  expect(await file('Together')).toBe('Ada begins. # Together\n\nThe middle.\nBen ends.')

  const present = (page: Page, name: string) =>
    page.getByRole('list', { name: 'In this note now' }).getByRole('listitem').filter({ hasText: name })
  await present(ada, 'Ben Ortega').waitFor({ state: 'attached' })
  await present(ben, 'Ada Lovelace').waitFor({ state: 'attached' })
  await ada.locator('.cm-their-name', { hasText: 'Ben Ortega' }).waitFor({ state: 'attached' })
  await Promise.all([ada.close(), ben.close()])
})

test('by roles, names and keys alone a note is edited beside another person, whose words interrupt nobody', async () => {
  verifies('ui.accessible', 'ui.presence', 'ui.live-editing')
  const [ada, ben] = await openTogether('Heard', '# Heard\n\nWords.\n')
  await ada.getByRole('button', { name: 'Read', exact: true }).press('Enter')
  await ada.getByRole('article', { name: 'Note' }).waitFor()
  await ada.keyboard.press('Tab')
  expect(await ada.evaluate(() => document.activeElement?.textContent)).toBe('Edit')
  await ada.keyboard.press('Enter')
  await until('the keys go to the text', () => editor(ada).evaluate((element) => element.matches(':focus')))
  await ada.evaluate(listenToAnnouncements)
  await typeAt(ben, 'Control+End', 'Ben ends.')
  await until('the text has his words', async () => (await editor(ada).innerText()).includes('Ben ends.'))
  await until('he is named', async () => {
    const names = await ada.getByRole('list', { name: 'In this note now' }).getByRole('listitem').allInnerTexts()
    return (
      names.some((name) => name.includes('Ada Lovelace (you)')) && names.some((name) => name.includes('Ben Ortega'))
    )
  })
  await ada.keyboard.press('Control+Home')
  await ada.keyboard.type('Ada begins. ')
  // The earlier announcement, made when the note was opened, stays until the next one is due.
  await until('both texts are in the file', async () => (await file('Heard')) === BOTH_HEARD)
  await ada
    .getByRole('status', { name: 'Save state' })
    .filter({ hasText: /Saved \d.*in its file/ })
    .waitFor()
  await ada.getByRole('status', { name: 'Save state' }).evaluate((status) => status.append('The end.'))
  const announced = await ada.evaluate(() => (globalThis as unknown as { announced: string[] }).announced)
  expect(announced.some((words) => words.includes('The end.'))).toBe(true)
  expect(announced.filter((words) => words.includes('Ben'))).toEqual([])
  await Promise.all([ada.close(), ben.close()])
})

const BOTH_HEARD = 'Ada begins. # Heard\n\nWords.\nBen ends.'

/** Records everything that the live regions of a page announce from now on. */
function listenToAnnouncements() {
  const announced: string[] = []
  Object.assign(globalThis, { announced })
  const listener = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement
      const region = element?.closest('[role=status], [role=alert], [aria-live]')
      if (region?.textContent) announced.push(region.textContent)
    }
  })
  listener.observe(document, { subtree: true, childList: true, characterData: true })
}

test('the image of the daemon is rolled while two people type: nothing is lost, and typing goes on by itself', async () => {
  verifies('ui.live-editing', 'admin.image-roll', 'live.kill-loses-nothing')
  const [ada, ben] = await openTogether('Rolled', '# Rolled\n\nAda:\n\nBen:')
  for (const page of [ada, ben]) await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
  await editor(ada).getByText('Ada:').click()
  await ada.keyboard.press('End')
  await editor(ben).click()
  await ben.keyboard.press('Control+End')

  const image = await anotherImage()
  const { orgId } = hosted
  let isRolled = false
  const roll = { orgId, path: 'image', image, confirmation: orgId, operationId: 'roll-while-typing' }
  const rolled = operate(hosted.ada, roll).finally(() => (isRolled = true))
  /** Types numbered words until the roll is over, and five more. */
  const typeOn = async (page: Page) => {
    const words: string[] = []
    for (let left = 5; left > 0; left -= Number(isRolled)) {
      words.push(`w${words.length}`)
      await page.keyboard.type(` ${words.at(-1)}`, { delay: 30 })
    }
    return words
  }
  const [{ body: answer }, adasWords, bensWords] = await Promise.all([rolled, typeOn(ada), typeOn(ben)])
  expect(answer).toMatchObject({ ok: true, image, observedState: 'running' })
  await Promise.all([saved(ada), saved(ben)])
  const whole = `# Rolled\n\nAda: ${adasWords.join(' ')}\n\nBen: ${bensWords.join(' ')}`
  await until('the file holds every word once', async () => (await file('Rolled')) === whole)
  for (const page of [ada, ben]) {
    await until('the page shows it', async () =>
      (await editor(page).innerText()).includes(`Ben: ${bensWords.join(' ')}`),
    )
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
  }
  await Promise.all([ada.close(), ben.close()])
})

/** Builds a second image for the platform: the running one with one more file. */
async function anotherImage(): Promise<string> {
  const { platform, daemon } = hosted
  const imagesDir = join(platform.dataDir, 'images')
  const { image } = await daemon()
  const changed = join(platform.dataDir, 'changed-image')
  await cp(join(imagesDir, image.split(':').at(-1)), changed, { recursive: true })
  await writeFile(join(changed, 'CHANGED.txt'), 'an image of its own\n')
  return importLocalImage({ bundleDir: changed, imagesDir })
}

test('one person loses the network while both write; everything is there when the connection is back', async () => {
  verifies('ui.live-editing', 'ui.unsent-kept')
  const [ada, ben] = await openTogether('Train', '# Train\n\nAda:\n\nBen:')
  await editor(ada).getByText('Ada:').click()
  await ada.keyboard.press('End')
  network.cut()
  await typeAt(ben, 'Control+End', ' in the tunnel')
  await ben.locator('.save-state', { hasText: 'Not saved' }).waitFor()
  await ada.keyboard.type(' at the desk')
  await saved(ada)
  expect(await file('Train')).toBe('# Train\n\nAda: at the desk\n\nBen:')
  network.mend()
  await ben.keyboard.type(', and out')
  await saved(ben)
  for (const page of [ada, ben])
    await until('all is shown', async () => (await editor(page).innerText()).includes('Ben: in the tunnel, and out'))
  expect(await file('Train')).toBe('# Train\n\nAda: at the desk\n\nBen: in the tunnel, and out')
  await Promise.all([ada.close(), ben.close()])
})
