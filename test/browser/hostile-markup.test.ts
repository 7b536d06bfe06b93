import { mkdir, writeFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileNames, hostileNotes, hostilePictures } from '../corpus/hostile-markup.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { newHome, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { arming, eachPolicy } from './hostile-page/each-policy.ts'
import { unsafeParts } from './hostile-page/expect-nothing-ran.ts'

// Each text of the corpus is a note of its own, rendered and sanitized separately. One note embeds all texts of a kind,
// so that a single page load runs them all. The tests run with and without the CSP of the page, because neither defence
// may depend on the other.

let svcd: Svcd
let browser: Browser
const kinds = Object.keys(hostileNotes) as (keyof typeof hostileNotes)[]

const armed = arming()

beforeAll(async () => {
  const home = await newHome()
  const vault = `${home}/vaults/v`
  await mkdir(`${vault}/names`, { recursive: true })
  for (const kind of kinds) {
    await mkdir(`${vault}/${kind}`)
    const texts = hostileNotes[kind].map(armed)
    for (const [nth, text] of texts.entries()) await writeFile(`${vault}/${kind}/${nth}.md`, text)
    await writeFile(`${vault}/all ${kind}.md`, texts.map((_, nth) => `![[${kind}/${nth}]]`).join('\n\n'))
  }
  const links = kinds.flatMap((kind) => hostileNotes[kind].map((_, nth) => `[[${kind}/${nth}]]`))
  await writeFile(`${vault}/all links.md`, links.join('\n\n'))
  const joined = kinds.filter((kind) => kind !== 'mermaid').flatMap((kind) => hostileNotes[kind])
  await writeFile(`${vault}/joined.md`, armed(joined.join('\n\n')))
  for (const name of hostileNames) await writeFile(`${vault}/names/${armed(name)}.md`, `# ${armed(name)}\n\n#needle\n`)
  for (const [nth, svg] of hostilePictures.entries()) await writeFile(`${vault}/p${nth}.svg`, armed(svg))
  await writeFile(`${vault}/all pictures.md`, hostilePictures.map((_, nth) => `![[p${nth}.svg]]`).join('\n\n'))
  svcd = await startSvcd({ home })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

test('the corpus has at least 150 different texts', () => {
  const texts = new Set([...Object.values(hostileNotes).flat(), ...hostileNames, ...hostilePictures])
  expect(texts.size).toBeGreaterThanOrEqual(150)
})

eachPolicy(
  () => ({ browser, svcd }),
  ({ bypassCSP, page: shown, nothingRan }) => {
    let page: Page
    beforeAll(() => void (page = shown()))

    const open = async (address: string) => {
      await page.goto(`${svcd.url}/v/v${address}`)
      await page.getByRole('main').waitFor()
    }

    // The frame of diagrams needs its CSP, so diagrams are only tested with it.
    const embedded = kinds.filter((kind) => kind !== 'properties' && (!bypassCSP || kind !== 'mermaid'))
    test.each(embedded)('nothing of %s runs', async (kind) => {
      verifies('ui.hostile-markup')
      await open(`/all%20${kind}.md`)
      const embeds = page.locator('.embed.filled')
      await until('all notes are embedded', async () => (await embeds.count()) >= hostileNotes[kind].length)
      await nothingRan(kind)
    })

    test('no text of the corpus runs anything, all in one note, reading and editing', async () => {
      verifies('ui.hostile-markup')
      await open('/joined.md')
      await page.getByRole('article', { name: 'Note' }).waitFor()
      await nothingRan('reading')
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Note text' }).waitFor()
      await nothingRan('editing')
      // The editor draws text when it becomes visible, so scroll through all of it.
      for (let part = 0, isAtEnd = false; !isAtEnd; part++) {
        isAtEnd = await page.locator('.cm-scroller').evaluate((scroller) => {
          scroller.scrollTop += scroller.clientHeight
          return scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1
        })
        await nothingRan(`editing, part ${part}`)
      }
    })

    test('names of files and titles run nothing: in the tree, search, graph and history', async () => {
      verifies('ui.hostile-markup')
      for (const address of ['', '?view=graph', '?view=tags', '?view=deleted', '/joined.md?view=history']) {
        await open(address)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await nothingRan(address)
      }
      await open('')
      await page.getByRole('treeitem', { name: 'names', exact: true }).click()
      await page.getByRole('searchbox', { name: 'Search notes' }).fill('tag:needle')
      await page.locator('.results a').nth(8).waitFor()
      await nothingRan('search')
      await page.getByRole('searchbox', { name: 'Search notes' }).fill('')
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await nothingRan('switcher')
    })

    // Only without the CSP: then nothing but the page itself makes the properties harmless.
    if (bypassCSP)
      test('properties run nothing, each on the page of its note', async () => {
        verifies('ui.hostile-markup')
        for (const nth of hostileNotes.properties.keys()) {
          await open(`/properties/${nth}.md`)
          await page.getByRole('article', { name: 'Note' }).waitFor()
          await nothingRan(`property ${nth}`)
        }
      })

    // Only without the CSP, where nothing else protects the page: a preview uses the sanitizer of the reading view.
    if (bypassCSP)
      test('the previews of links to all texts run nothing', async () => {
        verifies('ui.hostile-markup', 'ui.preview')
        await page.clock.install()
        await open('/all%20links.md')
        const links = page.getByRole('article', { name: 'Note' }).getByRole('link')
        await links.first().waitFor()
        expect(await links.count()).toBe(kinds.reduce((sum, kind) => sum + hostileNotes[kind].length, 0))
        const preview = page.getByRole('tooltip')
        for (const [nth, link] of (await links.all()).entries()) {
          await link.focus()
          // A preview opens after a delay.
          await page.clock.fastForward(1000)
          await preview.waitFor()
          expect(await link.getAttribute('aria-describedby')).toBe(await preview.getAttribute('id'))
          await nothingRan(`preview ${nth}`)
          await page.keyboard.press('Escape')
          await preview.waitFor({ state: 'detached' })
        }
      })

    test('pictures run nothing, embedded or opened alone', async () => {
      verifies('ui.hostile-markup')
      await open('/all%20pictures.md')
      await nothingRan('pictures')
      for (const nth of hostilePictures.keys()) {
        await open(`/p${nth}.svg`)
        await nothingRan(`picture ${nth}`)
      }
    })
  },
)

test('the test notices a script that runs and a request to another host', async () => {
  const context = await browser.newContext({ bypassCSP: true })
  const seen: unknown[] = []
  await context.exposeBinding('hit', (_source, number: number) => void seen.push(number))
  await context.route('https://elsewhere.test/**', (route) => {
    seen.push(route.request().url())
    return route.abort()
  })
  const page = await context.newPage()
  await page.goto(`${svcd.url}/v/v`)
  const markup = '<img src="https://elsewhere.test/x" onerror="hit(1)">'
  await page.evaluate((text) => document.body.insertAdjacentHTML('beforeend', text), markup)
  await until('both are seen', () => seen.length === 2)
  expect(seen).toEqual(['https://elsewhere.test/x', 1])
  expect(await unsafeParts(page)).toEqual(['onerror=hit(1)'])
  await context.close()
})

test('a picture that is opened at its own address runs nothing, under its own policy', async () => {
  verifies('ui.hostile-markup')
  const context = await browser.newContext()
  const hits: number[] = []
  await context.exposeBinding('hit', (_source, number: number) => void hits.push(number))
  const page = await context.newPage()
  for (const nth of hostilePictures.keys())
    // A download is not a page: the browser reports the navigation as aborted.
    await page.goto(`${svcd.url}/api/vaults/v/attachments/p${nth}.svg`).catch(() => {})
  expect(hits).toEqual([])
  await context.close()
})
