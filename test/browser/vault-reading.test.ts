import { readFile, writeFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { randomOf } from '../support/random-of.ts'
import { replaceFile } from '../support/replace-file.ts'
import { until } from '../support/until.ts'
import { vaultInBrowser } from '../support/vault-in-browser.ts'

// What a reader sees if the note, or the knowledge about the vault, changes while the note is open.

const { now } = vaultInBrowser({
  'v/Note.md': [
    '# Note',
    'First [[Other]], [[Later]].',
    '![[Other]]',
    '```mermaid\ngraph LR; A-->B\n```',
    '<details>\n<summary>More</summary>\n\nfolded words\n\n</details>',
    'Words that somebody selects.',
    '- [ ] one\n- [ ] two',
    'The end of [[Other]].',
    '',
  ].join('\n\n'),
  'v/Other.md': 'The other note.\n',
  'v/Guess.md': '[[Deep]], [[Nowhere]], ![[Deep]] and ![a](deep.png)\n',
  'v/far/Deep.md': 'Deep words.\n',
})

const file = (name: string) => `${now().svcd.home}/vaults/v/${name}`
const article = () => now().page.getByRole('article', { name: 'Note' })
const link = (name: string) => article().getByRole('link', { name, exact: true })
const hasFocus = (place: Locator) => place.evaluate((element) => element === document.activeElement)
const change = async (name: string, from: string, to: string) =>
  replaceFile(now().svcd, file(name), (await readFile(file(name), 'utf8')).replace(from, to))

test('a change in a note leaves the rest of it to its reader: selected, opened, drawn', async () => {
  verifies('ui.reading-kept')
  const { page, svcd } = now()
  let reads = 0
  page.on('request', (request) => void (reads += Number(request.url().includes('/notes/Other.md'))))
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await article().locator('.embed.filled').waitFor()
  await article().locator('.diagram img').first().waitFor()
  await article().getByText('More').click()
  await article().getByText('somebody').selectText()
  await article().evaluate((root) => [...root.children].forEach((block) => block.setAttribute('data-seen', '')))
  const before = reads

  await change('Note.md', 'First', 'New words.\n\nThree\nlines\nof it.\n\nThen')
  await article().getByText('New words.').waitFor()
  expect(await article().locator('> :not([data-seen])').allInnerTexts()).toEqual([
    'New words.',
    'Three\nlines\nof it.',
    'Then Other, Later.',
  ])
  expect(await article().getByText('folded words').isVisible()).toBe(true)
  expect(await page.evaluate(() => getSelection()?.toString())).toContain('somebody selects')
  expect(reads).toBe(before)
  // The button shows the source of the diagram, not the block before it.
  await article().getByRole('button', { name: 'Source' }).click()
  await article().getByText('graph LR').waitFor()

  // Elements that stayed have their current line numbers.
  await article().getByRole('checkbox', { name: 'two' }).click()
  await until('the task is done', async () => (await readFile(file('Note.md'), 'utf8')).includes('- [x] two'))
  expect(await readFile(file('Note.md'), 'utf8')).toContain('- [ ] one')

  await change('Note.md', 'graph LR', 'graph TD')
  await article().getByText('graph TD').waitFor({ state: 'attached' })
  await article().locator('.diagram img').first().waitFor()
  expect(await article().locator('.diagram').count()).toBe(1)
  await change('Note.md', 'New words.\n\nThree\nlines\nof it.\n\n', '')
  await article().getByText('New words.').waitFor({ state: 'detached' })
  // The count includes the picture of the diagram.
  expect(await article().locator('> *').count()).toBe(9)
  const lines = (await readFile(file('Note.md'), 'utf8')).split('\n')
  const known = await article().evaluate((root) =>
    [
      ...root.querySelectorAll<HTMLElement>(
        'h1[data-line], p[data-line]:not(:has(.embed)), li[data-line], .diagram[data-line]',
      ),
    ].map(
      (one) => [Number(one.dataset['line']), one.matches('.diagram') ? '```mermaid' : one.innerText.trim()] as const,
    ),
  )
  expect(known.length).toBeGreaterThan(6)
  for (const [line, text] of known)
    expect(lines[line - 1]!.replaceAll(/[[\]]/g, '')).toContain(text.split(/[\n,]/)[0]!.replaceAll(/[[\]]/g, ''))
})

test('a link that has the focus keeps it when its paragraph changes, and when its note is written', async () => {
  verifies('ui.reading-kept')
  const { page, svcd } = now()
  // Hold the code of previews back until after the change.
  const held = Promise.withResolvers<void>()
  await page.route('**/preview-links*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${svcd.url}/v/v/Note.md`)
  await link('Other').last().focus()
  await change('Note.md', 'The end', 'The very end')
  await article().getByText('The very end').waitFor()
  expect(await hasFocus(link('Other').last())).toBe(true)
  held.resolve()
  await page.getByRole('tooltip').filter({ hasText: 'The other note.' }).waitFor()

  await link('Later').focus()
  await replaceFile(svcd, file('Later.md'), 'Later words.\n')
  await page.getByRole('tooltip').filter({ hasText: 'Later words.' }).waitFor()
})

test('an embedded note is opened from its embed, whose link keeps the focus while the note is read', async () => {
  verifies('ui.reading-kept')
  const { page, svcd } = now()
  const held = Promise.withResolvers<void>()
  await page.route(/\/notes\/Other\.md/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${svcd.url}/v/v/Note.md`)
  const source = article().locator('.embed').getByRole('link', { name: 'Other', exact: true })
  await source.focus()
  held.resolve()
  await article().locator('.embed.filled', { hasText: 'The other note.' }).waitFor()
  expect(await hasFocus(source)).toBe(true)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/v/v/Other.md')
})

test('after changes at random the page is what it would be if it were opened now', async () => {
  verifies('ui.reading-kept')
  const { page, svcd } = now()
  const random = randomOf(26)
  const blocks = [
    '# Title',
    'Words, **strong** and [[Other]].',
    '- [ ] a task\n- [x] done\n\n  in the list',
    '> [!note] A callout\n> of two lines',
    '```js\nlet a = 1\n```',
    '![[Other]]',
    '$$x^2$$',
    '| a | b |\n| - | - |\n| 1 | 2 |',
    'Claimed[^1].\n\n[^1]: So it is.',
    '<details><summary>More</summary>folded</details>',
    'data-line="3"',
    '---',
    'Setext\n===',
  ]
  let text = Array.from({ length: 12 }, () => blocks[random(blocks.length)]!)
  const save = (round: number) => writeFile(file('Random.md'), `Round ${round}.\n\n${text.join('\n\n')}\n`)
  await save(0)
  await page.goto(`${svcd.url}/v/v/Random.md`)
  const fresh = await page.context().browser()!.newPage({ viewport: page.viewportSize() })
  const html = async (of: Page) => {
    // Until the files of the vault are known, a link has no address and an embed is only a name.
    await of.getByRole('treeitem', { name: 'Random', exact: true }).waitFor()
    let filled: string | undefined
    await until('all is filled', async () => {
      filled = await of.getByRole('article', { name: 'Note' }).evaluate((shown) => {
        const waiting =
          '.embed:not(.filled), .math:not(.set), code[data-language]:not(:has(span)), .callout:not(:has(svg)), a:not([href])'
        return shown.querySelector(waiting) ? undefined : shown.innerHTML
      })
      return filled !== undefined
    })
    return filled
  }
  for (let round = 1; round <= 40; round++) {
    const at = random(text.length + 1)
    text.splice(at, random(3), ...Array.from({ length: random(3) }, () => blocks[random(blocks.length)]!))
    if (random(8) === 0) text = text.toReversed()
    await save(round)
    await article().getByText(`Round ${round}.`).waitFor()
    if (round % 4 !== 0) continue
    await fresh.goto(`${svcd.url}/v/v/Random.md`)
    await fresh.getByText(`Round ${round}.`).waitFor()
    expect([round, await html(page)]).toEqual([round, await html(fresh)])
  }
  await fresh.close()
})

test('before the files of the vault are known nothing is called missing', async () => {
  verifies('ui.nothing-guessed')
  const { page, svcd } = now()
  const held = Promise.withResolvers<void>()
  await page.route(/\/tree(?:\?|$)/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${svcd.url}/v/v/Guess.md`)
  await article().getByText('Deep').first().waitFor()
  expect(await article().innerText()).not.toContain('not in this vault')
  expect(await article().locator('.unwritten, .missing').count()).toBe(0)
  // A link to a note that is not known yet has no address, rather than a wrong one.
  expect(await article().getByRole('link').count()).toBe(0)

  const other = await page.context().browser()!.newPage()
  await other.route(/\/tree(?:\?|$)/, async (route) => {
    await held.promise
    await route.continue()
  })
  await other.goto(`${svcd.url}/v/v`)
  await other.getByText('Loading what is in the vault…').waitFor()
  expect(await other.getByText('no notes yet').count()).toBe(0)
  await other.goto(`${svcd.url}/v/v/far/Missing.md`)
  await other.getByRole('status', { name: 'Loading the note' }).waitFor()
  expect(await other.getByText('not written').count()).toBe(0)

  held.resolve()
  await link('Deep').first().waitFor()
  expect(await link('Deep').first().getAttribute('href')).toBe('/v/v/far/Deep.md')
  expect(await link('Nowhere').getAttribute('class')).toContain('unwritten')
  await article().locator('.embed.filled').waitFor()
  await article().getByText('deep.png is not in this vault').waitFor()
  await other.getByText('not written').first().waitFor()
  await other.close()
})

test('a change between the page’s first look at the vault and its stream of changes is shown', async () => {
  verifies('ui.arrivals')
  const { page, svcd } = now()
  const held = Promise.withResolvers<void>()
  await page.route(/\/events$/, async (route) => {
    await held.promise
    await route.continue()
  })
  const inTree = (name: string) => page.getByRole('treeitem', { name, exact: true })
  await page.goto(`${svcd.url}/v/v/Other.md`)
  await inTree('Other').waitFor()

  await writeFile(file('Arrived.md'), 'Words.\n')
  await change('Other.md', 'other note', 'changed note')
  const known = async () =>
    (await (await fetch(`${svcd.url}/api/vaults/v/search?q=changed`)).json()) as { total: number }
  await until('the daemon knows both', async () => (await known()).total === 1)
  expect(await inTree('Arrived').count()).toBe(0)
  held.resolve()
  await inTree('Arrived').waitFor()
  await article().getByText('changed note').waitFor()
})
