import { readFile, writeFile } from 'node:fs/promises'
import { ChangeSet } from '@codemirror/state'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toText } from '../../daemon/src/edits/to-text.ts'
import type { Unsent } from '../../daemon/ui/live/live-text.ts'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { liveClient, type LiveClient } from '../support/live-client.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'
import { startWatchingProxy, type WatchingProxy } from './hostile-page/watching-proxy.ts'

// Somebody types without a network and comes back a day later.

const DAY = '24:00:00'
// More changes than one message holds.
const MANY_CHANGES = 400

let svcd: Svcd
let browser: Browser
let network: WatchingProxy
let context: BrowserContext
const troubles: string[] = []

beforeAll(async () => {
  const text = (name: string) => `# ${name}\n\nAda:\n\nBen:\n`
  const names = ['Open', 'Left', 'Deleted', 'Moved']
  const home = await homeWith(Object.fromEntries(names.map((name) => [`v/${name}.md`, text(name)])))
  const port = await freePort()
  svcd = await startSvcd({ home, env: { SVC_PORT: String(port) } })
  network = await startWatchingProxy({ portOf: () => port })
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, proxy: { server: network.url } })
})

afterAll(async () => {
  await browser?.close()
  network?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

const editor = (page: Page) => page.getByRole('textbox', { name: 'Note text' })
const file = (note: string) => readFile(svcd.file('v', `${note}.md`), 'utf8')
const saved = (page: Page) => page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()
const unsaved = (page: Page) => page.locator('.save-state', { hasText: 'Not saved' }).waitFor()

/** Opens a note, waits until the page takes part in its session, and puts the cursor at the end of Ada's line. */
async function edit(note: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.clock.install()
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor(page).getByText('Ada:').click()
  await page.keyboard.press('End')
  await saved(page)
  return page
}

/** The unsent texts of a note that this browser has stored. */
async function kept(page: Page, note: string): Promise<string[]> {
  const all = await page.evaluate(
    () =>
      new Promise<{ path: string; unsent: Unsent }[]>((resolve, reject) => {
        const opening = indexedDB.open('svc-unsent')
        opening.addEventListener('error', () => reject(new Error('the database does not open')))
        opening.addEventListener('success', () => {
          const all = opening.result.transaction('unsent').objectStore('unsent').getAll()
          opening.result.close()
          all.addEventListener('success', () => resolve(all.result as { path: string; unsent: Unsent }[]))
        })
      }),
  )
  return all
    .filter(({ path }) => path === `${note}.md`)
    .map(({ unsent: { confirmed, pending } }) =>
      pending.reduce((text, changes) => ChangeSet.fromJSON(changes).apply(text), toText(confirmed)).toString(),
    )
}

/** Another person at the daemon types letter by letter. */
async function typeMuch(ben: LiveClient): Promise<string> {
  await ben.reaches('saved', 'durable')
  const words = Array.from({ length: MANY_CHANGES }, (_, nth) => (nth % 5 === 4 ? ' ' : 'b'))
  for (const letter of words) ben.type(letter, ben.shown().length - 1)
  await ben.reaches('saved', 'durable')
  return words.join('')
}

test('after a day without network, what was typed is put where it belongs among what others wrote', async () => {
  verifies('ui.unsent-kept', 'ui.live-editing')
  const [open, left] = [await edit('Open'), await edit('Left')]
  network.cut()
  await open.keyboard.type(' before noon')
  await left.keyboard.type(' in a tab that is closed')
  await Promise.all([unsaved(open), unsaved(left)])
  const isKept = async (note: string, words: string) => (await kept(open, note)).some((text) => text.includes(words))
  await until('both are kept', async () => {
    const both = [isKept('Open', 'Ada: before noon'), isKept('Left', 'Ada: in a tab that is closed')]
    return (await Promise.all(both)).every(Boolean)
  })
  await left.close()

  // Meanwhile another person types, files are edited, and the daemon is restarted, which rewrites its log.
  const ben = liveClient({ url: () => svcd.url, vaultId: 'v', path: 'Open.md' })
  const much = await typeMuch(ben)
  await ben.close()
  await svcd.stop()
  await svcd.restart()
  await writeFile(svcd.file('v', 'Left.md'), (await file('Left')).replace('# Left', '# Left, with a longer title'))

  await open.clock.fastForward(DAY)
  await open.keyboard.type(', and the day after')
  await unsaved(open)
  network.mend()
  const expected = {
    Open: `# Open\n\nAda: before noon, and the day after\n\nBen:${much}\n`,
    Left: '# Left, with a longer title\n\nAda: in a tab that is closed\n\nBen:\n',
  }
  await saved(open)
  for (const note of ['Open', 'Left'] as const)
    await until(`${note} has all of it`, async () => (await file(note)) === expected[note])
  await until('nothing is left in the browser', async () => (await kept(open, 'Left')).length === 0)
  expect(await editor(open).innerText()).toContain('Ada: before noon, and the day after')
  await open.close()
})

const api = (method: string, path: string, body?: object) =>
  fetch(`${svcd.url}/api/vaults/v/${path}`, {
    method,
    headers: { 'if-match': '*', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

test('a note that was deleted or moved on that day has each word once: where it is, or where somebody says so', async () => {
  verifies('ui.unsent-kept', 'ui.note-ends-told', 'ui.note-followed')
  const pages = { Deleted: await edit('Deleted'), Moved: await edit('Moved') }
  network.cut()
  for (const [note, page] of Object.entries(pages)) {
    await page.keyboard.type(' typed without a network')
    await unsaved(page)
    await until(`${note} is kept`, async () =>
      (await kept(page, note)).some((text) => text.includes('without a network')),
    )
  }

  expect((await api('DELETE', 'notes/Deleted.md')).status).toBe(200)
  expect((await api('POST', 'move', { from: 'Moved.md', to: 'Between.md' })).status).toBe(200)
  expect((await api('POST', 'move', { from: 'Between.md', to: 'Elsewhere.md' })).status).toBe(200)
  await svcd.stop()
  await svcd.restart()
  await writeFile(svcd.file('v', 'Elsewhere.md'), (await file('Elsewhere')).replace('Ben:', 'Ben: there'))

  for (const page of Object.values(pages)) await page.clock.fastForward(DAY)
  network.mend()
  const { Deleted: deleted, Moved: moved } = pages
  const again = deleted.getByRole('button', { name: 'Create it again' })
  await again.waitFor()
  await deleted.getByText('This note was deleted or moved.').waitFor()
  expect(await file('Deleted').catch(() => 'none')).toBe('none')
  expect((await kept(deleted, 'Deleted')).some((text) => text.includes('without a network'))).toBe(true)
  await again.click()
  const text = '# Deleted\n\nAda: typed without a network\n\nBen:\n'
  await until('the note is there again', async () => (await file('Deleted').catch(() => '')) === text)
  expect(await file('Deleted')).toBe(text)

  // The typed text follows the moved note and is merged with the text of others; the page follows too.
  const merged = '# Moved\n\nAda: typed without a network\n\nBen: there\n'
  await until('the note has both', async () => (await file('Elsewhere')) === merged)
  await moved.waitForURL(/\/v\/v\/Elsewhere\.md$/)
  await moved.getByText('Saved', { exact: false }).first().waitFor()
  expect(await file('Moved').catch(() => 'none')).toBe('none')
  for (const [note, page] of Object.entries(pages)) {
    await until('nothing is left in the browser', async () => (await kept(page, note)).length === 0)
    await page.close()
  }
})
