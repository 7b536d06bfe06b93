import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { replaceFile } from '../support/replace-file.ts'
import { startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'

let svcd: Svcd
let browser: Browser
let context: BrowserContext
const troubles: string[] = []

beforeAll(async () => {
  const names = ['Two', 'Outside', 'Torn', 'Killed', 'Kept', 'Undo', 'Gone', 'Old']
  const notes = names.map((name) => [`v/${name}.md`, `# ${name}\n\nfirst line\nlast line\n`])
  const home = await homeWith(Object.fromEntries(notes))
  // Keep the port over restarts, so that the address of the pages stays the same.
  svcd = await startSvcd({ home, env: { SVC_PORT: String(await freePort()) } })
  browser = await openBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
})

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
  expect(troubles).toEqual([])
})

async function edit(note: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => troubles.push(error.message))
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor(page).waitFor()
  // The page takes part in the session. Without this, what others write before it does has no author for it.
  await saved(page)
  return page
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'Note text' })
const shown = (page: Page) => editor(page).innerText()
const file = (note: string) => readFile(svcd.file('v', `${note}.md`), 'utf8')
const saved = (page: Page) => page.locator('.save-state', { hasText: /^Saved \d/ }).waitFor()

async function typeAt(page: Page, keys: string, text: string) {
  await editor(page).click()
  await page.keyboard.press(keys)
  await page.keyboard.type(text)
}

test('two tabs type into one note at once; both show both, and so does the file', async () => {
  verifies('ui.live-editing', 'ui.presence')
  const [ada, ben] = [await edit('Two'), await edit('Two')]
  await Promise.all([typeAt(ada, 'Control+Home', 'from ada '), typeAt(ben, 'Control+End', 'from ben')])
  for (const page of [ada, ben])
    await until('both texts are shown', async () => /from ada [\s\S]*from ben/.test(await shown(page)))
  await Promise.all([saved(ada), saved(ben)])
  expect(await file('Two')).toBe('from ada # Two\n\nfirst line\nlast line\nfrom ben')
  await ada.locator('.cm-their-caret').first().waitFor({ state: 'attached' })
  await Promise.all([ada.close(), ben.close()])
})

test('an edit by another program appears while somebody types, marked as made on disk', async () => {
  verifies('ui.live-editing', 'ui.remote-changes-named')
  const page = await edit('Outside')
  await typeAt(page, 'Control+End', 'typed ')
  // Otherwise the daemon could write between the reading and the writing of the other program.
  await until('the text is in the file', async () => (await file('Outside')).endsWith('typed '))
  const before = await file('Outside')
  await Promise.all([
    page.getByText('first line, changed outside').waitFor(),
    // The mark is shown for a few seconds only.
    page.locator('.cm-who', { hasText: 'Changed on disk' }).waitFor(),
    replaceFile(svcd, svcd.file('v', 'Outside.md'), before.replace('first line', 'first line, changed outside')),
  ])
  await page.keyboard.type('on')
  await saved(page)
  expect(await file('Outside')).toBe('# Outside\n\nfirst line, changed outside\nlast line\ntyped on')
  await page.close()
})

test('an editor that fails while it draws shows the text again, with the words of others, and goes on', async () => {
  verifies('ui.live-editing')
  const [ada, ben] = [await edit('Torn'), await edit('Torn')]
  await typeAt(ada, 'Control+End', 'from ada')
  await saved(ada)
  // As a browser extension that changes the page could do.
  await editor(ada).evaluate((content) => {
    content.insertBefore = () => {
      throw new Error('torn apart')
    }
  })
  await typeAt(ben, 'Control+Home', 'from ben\n')
  await until('his words are shown', async () => (await shown(ada)).startsWith('from ben'))
  await ada.keyboard.type(', and on')
  await saved(ada)
  expect(await file('Torn')).toBe('from ben\n# Torn\n\nfirst line\nlast line\nfrom ada, and on')
  expect(troubles.splice(0)).toEqual(['torn apart'])
  await Promise.all([ada.close(), ben.close()])
})

test('nothing typed is lost when the daemon is killed while somebody types', async () => {
  verifies('ui.live-editing', 'live.kill-loses-nothing')
  const page = await edit('Killed')
  await typeAt(page, 'Control+End', 'before ')
  await svcd.kill()
  await page.keyboard.type('while it is down ')
  await page.locator('.save-state', { hasText: 'Not saved' }).waitFor()
  await page.locator('.centre[data-words=unsafe]').waitFor()
  await svcd.restart()
  await page.keyboard.type('after')
  await saved(page)
  expect(await file('Killed')).toBe('# Killed\n\nfirst line\nlast line\nbefore while it is down after')
  await page.close()
})

test('unsent text survives the closing of the page, and is merged with what was written meanwhile', async () => {
  verifies('ui.unsent-kept')
  const page = await edit('Kept')
  await svcd.kill()
  await typeAt(page, 'Control+End', 'typed offline')
  await page.locator('.save-state', { hasText: 'Not saved' }).waitFor()
  // If the browser asks before the text is stored whether to leave, this person stays and tries again.
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}))
  await until('the page is closed', async () => {
    await page.close({ runBeforeUnload: true }).catch(() => {})
    return page.isClosed()
  })
  await writeFile(svcd.file('v', 'Kept.md'), '# Kept\n\nfirst line, changed outside\nlast line\n')
  await svcd.restart()

  const again = await context.newPage()
  await again.goto(`${svcd.url}/v/v/Two.md`)
  await until('the text is sent', async () => (await file('Kept')).includes('typed offline'))
  expect(await file('Kept')).toBe('# Kept\n\nfirst line, changed outside\nlast line\ntyped offline')
  await again.close()
})

test('a person chooses between texts that cannot be merged, place by place, and nothing is saved before', async () => {
  verifies('ui.conflict-chosen')
  const lines = (word: string) =>
    Array.from({ length: 500 }, (_, nth) => `${word} ${nth} ${word.repeat(20)}\n`).join('')
  await writeFile(svcd.file('v', 'Clash.md'), `# Clash\n\n${lines('old')}`)
  const page = await edit('Clash')
  await svcd.kill()
  await typeAt(page, 'Control+End', 'mine')
  await page.locator('.save-state', { hasText: 'Not saved' }).waitFor()
  await writeFile(svcd.file('v', 'Clash.md'), `# Clash\n\n${lines('new')}`)
  await svcd.restart()

  const conflict = page.getByRole('region', { name: 'Conflict' })
  await conflict.getByRole('heading', { name: 'Choose the text of Clash' }).waitFor()
  await conflict.getByRole('button', { name: 'Save, 1 place left' }).waitFor()
  expect(await file('Clash')).not.toContain('mine')
  await page.reload()
  await conflict.getByRole('button', { name: /^Keep both/ }).click()
  await conflict.getByRole('button', { name: 'Save', exact: true }).click()
  await editor(page)
    .or(page.getByRole('article', { name: 'Note' }))
    .waitFor()
  await until(
    'both are in the file',
    async () => (await file('Clash')) === `# Clash\n\n${lines('old')}mine\n${lines('new')}`,
  )
  await page.close()
})

test('own words can be undone after reading, the words of others cannot', async () => {
  verifies('ui.undo-own')
  const page = await edit('Undo')
  await typeAt(page, 'Control+End', 'mine')
  await saved(page)
  const before = await file('Undo')
  await page.getByRole('button', { name: 'Read', exact: true }).click()
  await replaceFile(svcd, svcd.file('v', 'Undo.md'), before.replace('first line', 'first line of somebody else'))
  await page.getByText('first line of somebody else').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  // Slow typing is undone in several steps.
  await until('it is undone', async () => {
    await editor(page).press('Control+z')
    await saved(page)
    return (await file('Undo')) === '# Undo\n\nfirst line of somebody else\nlast line\n'
  })
  await page.close()
})

test('the page follows a renamed note; a deleted one can be created again from its text', async () => {
  verifies('ui.note-ends-told')
  const page = await edit('Old')
  await typeAt(page, 'Control+End', 'before')
  // Otherwise the daemon could write the file at its old name again.
  await saved(page)
  await rename(svcd.file('v', 'Old.md'), svcd.file('v', 'New.md'))
  await page.waitForURL(/New\.md/)
  await page.keyboard.type(' after')
  await saved(page)
  expect(await file('New')).toBe('# Old\n\nfirst line\nlast line\nbefore after')

  const url = `${svcd.url}/api/vaults/v/notes/New.md`
  expect((await fetch(url, { method: 'DELETE', headers: { 'if-match': '*' } })).status).toBe(200)
  await page.getByText('This computer deleted this note.').waitFor()
  const { promise: longEnough, resolve: goOn } = Promise.withResolvers<void>()
  await page.route(/\/notes\/New\.md/, async (route) => {
    await longEnough
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create it again' }).click()
  await typeAt(page, 'Control+End', ' meanwhile')
  goOn()
  await until('what was typed meanwhile is there too', async () =>
    (await file('New').catch(() => '')).endsWith('before after meanwhile'),
  )
  await saved(page)
  await typeAt(page, 'Control+End', ' and on')
  await saved(page)
  expect(await file('New')).toBe('# Old\n\nfirst line\nlast line\nbefore after meanwhile and on')
  await page.close()
})
