import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { dropFiles } from '../support/drop-files.ts'
import { holdMessages } from '../support/hold-messages.ts'
import type { Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

let svcd: Svcd
let page: Page

const rendered = [
  '# Rendered',
  'Inline $a_1 * b_2$, from $5 to $10, <kbd>Ctrl</kbd>.',
  'Names: &copy; &ngE; &amp;lt; &notit; &nothing; &semi;',
  '$$\n\\frac{a}{b}\n$$',
  '```js\nconst x = "text"\n```',
  '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>',
  '$\\href{javascript:window.hacked=1}{x}$ $\\htmlData{a=b}{x}$',
].join('\n\n')

const paragraphs = Array.from({ length: 200 }, (_, nth) => `Paragraph ${nth}. [[Other]]\n`)
const vault = vaultInBrowser({
  'v/Long.md': `# Long\n\n${paragraphs.join('\n')}`,
  'v/Embedding.md': `# Embedding\n\n![[Tall]]\n\n${paragraphs.join('\n')}`,
  'v/Tall.md': Array.from({ length: 100 }, (_, nth) => `Tall paragraph ${nth}\n`).join('\n'),
  'v/Other.md': '# Other\n\nText\n',
  'v/Rendered.md': rendered,
})

beforeEach(() => {
  ;({ svcd, page } = vault.now())
})

const open = async (note: string) => {
  await page.goto(`${svcd.url}/v/v/${note}.md`)
  await page.getByRole('article', { name: 'Note' }).waitFor()
}

/** The title in a note itself; a preview of a link has it as well. */
const inNote = (title: string) =>
  page.getByRole('article', { name: 'Note' }).getByRole('heading', { name: title, level: 1 })

test('reading a note loads less than 150 KB of scripts and styles, compressed', async () => {
  const loaded: { url: string; bytes: number; encoding: string | undefined }[] = []
  page.on('response', (response) => {
    const headers = response.headers()
    if (/\.(?:js|css)$/.test(response.url()))
      loaded.push({
        url: response.url(),
        bytes: Number(headers['content-length']),
        encoding: headers['content-encoding'],
      })
  })
  await open('Other')
  await page.waitForLoadState('networkidle')
  expect(loaded.length).toBeGreaterThan(1)
  // Browsers accept Brotli from localhost and over TLS; over other plain http connections they accept gzip.
  expect(loaded.map(({ encoding }) => encoding).filter((encoding) => encoding !== 'br')).toEqual([])
  expect(loaded.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(150_000)
  expect((await page.request.get(`${svcd.url}/assets/gone.js`)).status()).toBe(404)
})

test('formulas, code and harmless HTML are shown; what could run is text', async () => {
  await open('Rendered')
  const note = page.getByRole('article', { name: 'Note' })
  const fontOfCode = await note.locator('pre code').evaluate((code) => getComputedStyle(code).fontFamily)
  expect(fontOfCode).toContain('Atkinson Hyperlegible Mono')
  await note.locator('math mfrac').waitFor()
  await note.locator('.tok-keyword', { hasText: 'const' }).waitFor()
  expect(await note.locator('kbd').innerText()).toBe('Ctrl')
  expect(await note.innerText()).toContain('from $5 to $10')
  expect(await note.innerText()).toContain('Names: © ≧̸ &lt; &notit; &nothing; ;')
  expect(await note.innerText()).toContain('<script>window.hacked = 1</script>')
  expect(await note.locator('script, img, [href^="javascript"]').count()).toBe(0)
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
})

/** How far below the edge of the note a paragraph is; undefined when it is not there. */
const placeOf = (paragraph: string) =>
  page.evaluate((wanted) => {
    const scroller = document.querySelector('.note-scroll')
    const found = [...document.querySelectorAll('.note-scroll p')].find(({ textContent }) =>
      textContent.startsWith(wanted),
    )
    return scroller && found && found.getBoundingClientRect().top - scroller.getBoundingClientRect().top
  }, paragraph)
const isAt = async (paragraph: string, place: number) => Math.abs(((await placeOf(paragraph)) ?? Infinity) - place) <= 1

test.each(['Long', 'Embedding'])('Back returns to the place in the note %s', async (note) => {
  await open(note)
  await inNote(note).waitFor()
  if (note === 'Embedding') await page.getByText('Tall paragraph 99').waitFor({ state: 'attached' })
  const paragraph = page.locator('p', { hasText: 'Paragraph 100.' })
  await until('the paragraph is reached', async () => {
    // The note is rendered again when its links are known, so this paragraph may just have been replaced.
    await paragraph.evaluate((element) => element.scrollIntoView())
    return Math.abs((await placeOf('Paragraph 100.')) ?? Infinity) < 100
  })
  // The position is stored in the animation frame after the scrolling.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const before = (await placeOf('Paragraph 100.'))!
  await paragraph.getByRole('link').click()
  await inNote('Other').waitFor()
  await page.goBack()
  await inNote(note).waitFor({ state: 'attached' })
  if (note === 'Embedding') await page.getByText('Tall paragraph 99').waitFor({ state: 'attached' })
  await until('the place is back', () => isAt('Paragraph 100.', before))
})

test('Back returns to a place that was reached the moment the note appeared', async () => {
  await page.addInitScript(() => {
    const appears = new MutationObserver(() => {
      const all = [...document.querySelectorAll('.note-scroll p')]
      const wanted = all.find(({ textContent }) => textContent.startsWith('Paragraph 100.'))
      if (!wanted) return
      appears.disconnect()
      wanted.scrollIntoView()
    })
    appears.observe(document, { childList: true, subtree: true })
  })
  await open('Long')
  const link = page.locator('p', { hasText: 'Paragraph 100.' }).getByRole('link')
  await link.waitFor()
  expect(await placeOf('Paragraph 0.')).toBeLessThan(-1000)
  const before = (await placeOf('Paragraph 100.'))!
  // Playwright would scroll the link elsewhere if it is rendered again meanwhile, because the links become known.
  await page.evaluate(() => {
    const links = [...document.querySelectorAll<HTMLElement>('.note-scroll p a')]
    links.find((link) => link.parentElement?.textContent.startsWith('Paragraph 100.'))?.click()
  })
  await inNote('Other').waitFor()
  await page.goBack()
  await inNote('Long').waitFor({ state: 'attached' })
  await until('the place is back', () => isAt('Paragraph 100.', before))
})

test('a picture that is pasted is stored and embedded; Ctrl+B makes bold', async () => {
  await open('Other')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('word')
  await page.keyboard.press('Control+b')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Note text' }).evaluate((content) => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array([137, 80, 78, 71])], 'image.png', { type: 'image/png' }))
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await until('the note embeds the picture', async () =>
    /\*\*word\*\*\n!\[\[Pasted image .*\.png\]\]/.test(await readFile(svcd.file('v', 'Other.md'), 'utf8')),
  )
  expect((await readdir(svcd.file('v', ''))).filter((name) => name.startsWith('Pasted image'))).toHaveLength(1)
})

test('a picture that is dropped is stored and embedded where it falls; Ctrl+I makes italic', async () => {
  const file = svcd.file('v', 'Dropped.md')
  await writeFile(file, 'first line\n\nlast line\n')
  await open('Dropped')
  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Note text' })
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('word')
  await page.keyboard.press('Control+i')
  const { x, y } = (await text.getByText('last line').boundingBox())!
  await text.evaluate(
    (content, at) => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array([137, 80, 78, 71])], 'dropped.png', { type: 'image/png' }))
      const drop = { dataTransfer: data, clientX: at.x, clientY: at.y, bubbles: true, cancelable: true, composed: true }
      content.dispatchEvent(new DragEvent('drop', drop))
    },
    { x: x + 1, y: y + 5 },
  )
  const wanted = 'first line\n\n![[dropped.png]]\nlast line\n*word*'
  await until('the note embeds the picture', async () => (await readFile(file, 'utf8')) === wanted)
  expect([...(await readFile(svcd.file('v', 'dropped.png')))]).toEqual([137, 80, 78, 71])
})

test('a folder that is dropped into a note is refused by name, and the host stays connected', async () => {
  const folder = join(svcd.home, 'Inner')
  await mkdir(folder)
  await holdMessages(page)
  await open('Other')
  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'Note text' })
  await text.click()
  await dropFiles(page, text, [folder])
  await page.getByText('“Inner” is a folder or cannot be read.').waitFor()
  expect(await page.getByText('The host does not answer').count()).toBe(0)
})

test('F6 goes from the tree to the note, to the panel and around; Shift+F6 the other way', async () => {
  verifies('ui.focus-parts')
  await open('Other')
  await page.getByRole('region', { name: 'Linked from' }).getByRole('link').first().waitFor()
  const isIn = (part: string) => page.locator(part).evaluate((at) => at.contains(document.activeElement))
  const go = async (key: string, part: string) => {
    await page.keyboard.press(key)
    // What moves the focus is loaded apart from the page, so the focus follows the key in a later task.
    await until(`${key} goes to ${part}`, () => isIn(part))
  }
  await page.getByRole('tree').focus()
  await go('F6', '.note-scroll')
  await go('F6', '.panel')
  await go('F6', '.sidebar')
  await go('Shift+F6', '.panel')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Note text' }).click()
  await go('F6', '.panel')
  await go('Shift+F6', '.editor-host')
})

test('a deleted note comes back by Undo, and later from the deleted notes', async () => {
  await holdMessages(page)
  await open('Rendered')
  await page.getByRole('button', { name: 'Delete the note' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  const isBack = async () => (await readFile(svcd.file('v', 'Rendered.md'), 'utf8').catch(() => '')) === rendered
  await until('the note is back', isBack)
  await page.getByRole('article', { name: 'Note' }).waitFor()
  const line = page.getByRole('treeitem', { name: 'Rendered' })
  await line.waitFor({ state: 'attached' })

  await page.getByRole('button', { name: 'Delete the note' }).click()
  await line.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Deleted notes' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Rendered.md' }).getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('article', { name: 'Note' }).waitFor()
  await until('the note is back once more', isBack)
})

test('one change of a version is taken back by itself, unless its lines were changed since', async () => {
  verifies('ui.undo-change')
  const note = `${svcd.url}/api/vaults/v/notes/Lines.md`
  const save = async (body: string, condition: Record<string, string>) => {
    const headers = { 'content-type': 'text/markdown', ...condition }
    expect((await fetch(note, { method: 'PUT', headers, body })).status).toBeLessThan(300)
  }
  const versions = async () => {
    const answer = await fetch(`${svcd.url}/api/vaults/v/history/Lines.md`)
    return ((await answer.json()) as { revisions?: unknown[] }).revisions?.length ?? 0
  }
  const middle = 'two\nthree\nfour\nfive\nsix\nseven\neight\n'
  await save(`first\n${middle}last\n`, { 'if-none-match': '*' })
  await until('the first version is kept', async () => (await versions()) === 1)
  await save(`FIRST\n${middle}LAST\n`, { 'if-match': '*' })
  await until('the second version is kept', async () => (await versions()) === 2)
  await save(`FIRST\n${middle}LAST, again\n`, { 'if-match': '*' })
  await until('the third version is kept', async () => (await versions()) === 3)

  await holdMessages(page)
  await open('Lines')
  await page.getByRole('button', { name: 'History' }).click()
  const changes = page.getByRole('article', { name: 'What this version changed' })
  await changes.locator('ins', { hasText: 'LAST, again' }).waitFor()
  await page.keyboard.press('j')
  await changes.locator('ins', { hasText: 'FIRST' }).waitFor()
  await page.getByRole('button', { name: 'Undo this change, number 2' }).click()
  await page.getByText('These lines were changed again since.').waitFor()
  await page.getByRole('button', { name: 'Undo this change, number 1' }).click()
  await page.getByRole('article', { name: 'Note' }).waitFor()
  expect(await readFile(svcd.file('v', 'Lines.md'), 'utf8')).toBe(`first\n${middle}LAST, again\n`)
})

test('an older version is looked at and restored', async () => {
  const url = `${svcd.url}/api/vaults/v`
  const put = await fetch(`${url}/notes/Other.md`, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'if-match': '*' },
    body: '# Other\n\nReplaced\n',
  })
  expect(put.status).toBe(200)
  const history = async (query = '') =>
    (await (await fetch(`${url}/history/Other.md${query}`)).json()) as {
      revisions?: { rev: string }[]
      content?: string
    }
  await until('the version is kept', async () => {
    const [newest] = (await history()).revisions ?? []
    return newest !== undefined && (await history(`?rev=${newest.rev}`)).content === '# Other\n\nReplaced\n'
  })

  await open('Other')
  await page.getByRole('button', { name: 'History' }).click()
  const changes = page.getByRole('article', { name: 'What this version changed' })
  await changes.locator('ins', { hasText: 'Replaced' }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('button', { name: 'Restore this version' }).click()
  await page.getByRole('article', { name: 'Note' }).waitFor()
  await until('the older text is back', async () =>
    (await readFile(svcd.file('v', 'Other.md'), 'utf8')).includes('Text'),
  )
})

test('the history shows a version that is made while it is open', async () => {
  const file = svcd.file('v', 'Grown.md')
  await writeFile(file, 'as it was\n')
  await open('Grown')
  await page.getByRole('button', { name: 'History' }).click()
  const changes = page.getByRole('article', { name: 'What this version changed' })
  await changes.locator('ins', { hasText: 'as it was' }).waitFor()
  await writeFile(file, 'as it is\n')
  await changes.locator('ins', { hasText: 'as it is' }).waitFor()
})
