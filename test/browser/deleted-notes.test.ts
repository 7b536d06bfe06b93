import { rm } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeletedNotes, HistoryAnswer } from '@svc/shared/wire/daemon/daemon-history.api.ts'
import { verifies } from '../requirements.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { intercept } from '../support/intercept.ts'
import { call, startSvcd, type Svcd } from '../support/svcd.ts'
import { until } from '../support/until.ts'
import { homeWith } from '../support/vault-home.ts'

let svcd: Svcd
let browser: Browser
let page: Page

beforeAll(async () => {
  const notes = ['Kept', 'Lost', 'Thrown away'].map((name) => [`v/${name}.md`, `# ${name}\n`])
  const home = await homeWith({ ...Object.fromEntries(notes), ...manyDeleted(250) })
  svcd = await startSvcd({ home })
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
})

/** The files of a vault `many` in which so many notes were deleted, the first one last. */
function manyDeleted(count: number): Record<string, string> {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const files = numbers.flatMap((number) => {
    const folder = `many/.svc/trash/${String(2000 - number)}-0000000000`
    const entry = {
      path: `Note ${number}.md`,
      kind: 'note',
      deletedAt: '2026-01-01T00:00:00.000Z',
      deletedBy: 'local',
      deletedByName: 'Local',
    }
    return [
      [`${folder}/entry.json`, JSON.stringify(entry)],
      [`${folder}/content`, `# Note ${number}\n`],
    ]
  })
  return { 'many/Left.md': '# Left\n', ...Object.fromEntries(files) }
}

afterAll(async () => {
  await browser?.close()
  await svcd?.remove()
})

test('a note whose file another program removed is listed under the deleted ones, and comes back from the history', async () => {
  verifies('history.deleted')
  const api = (path: string, method = 'GET') => call(svcd, `/api/vaults/v${path}`, { method })
  await until('the note is in the history', async () => {
    const { body } = await api('/history/Lost.md')
    return HistoryAnswer.safeParse(body).data?.revisions?.length === 1
  })
  await rm(svcd.file('v', 'Lost.md'))
  expect((await api('/notes/Thrown%20away.md', 'DELETE')).status).toBe(200)
  await until('its deletion too', async () => {
    return DeletedNotes.safeParse((await api('/deleted')).body).data?.notes.length === 1
  })

  await page.goto(`${svcd.url}/v/v?view=deleted`)
  const lost = page.getByRole('listitem').filter({ hasText: 'Lost.md' })
  await lost.getByText('Another program').waitFor()
  expect(await page.getByRole('heading').allTextContents()).toEqual(['Deleted notes', 'Only in the history'])
  expect(await accessibilityProblems(page)).toEqual([])
  await lost.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('heading', { name: 'Lost' }).waitFor()
  expect((await api('/notes/Lost.md')).status).toBe(200)
})

test('a note that is deleted while the deleted notes are shown joins them', async () => {
  await page.goto(`${svcd.url}/v/v?view=deleted`)
  const line = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await line('Thrown away.md').waitFor()
  expect(await line('Kept.md').count()).toBe(0)
  expect((await call(svcd, '/api/vaults/v/notes/Kept.md', { method: 'DELETE' })).status).toBe(200)
  await line('Kept.md').getByRole('button', { name: 'Restore' }).waitFor()
})

test('many deleted notes are shown a part at a time, and a restored one is gone from the list', async () => {
  verifies('history.deleted')
  await page.goto(`${svcd.url}/v/many?view=deleted`)
  const lines = page.getByRole('listitem').filter({ hasText: /Note \d+\.md/ })
  await lines.first().getByText('Note 0.md').waitFor()
  expect(await lines.count()).toBe(200)
  await page.getByRole('button', { name: 'Show older ones' }).click()
  const last = lines.filter({ hasText: 'Note 249.md' })
  await last.waitFor()
  expect(await lines.count()).toBe(250)
  expect(await page.getByRole('button', { name: 'Show older ones' }).count()).toBe(0)
  await last.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('heading', { name: 'Note 249' }).waitFor()
  await page.goto(`${svcd.url}/v/many?view=deleted`)
  await page.getByRole('button', { name: 'Show older ones' }).click()
  await lines.filter({ hasText: 'Note 248.md' }).waitFor()
  expect(await lines.count()).toBe(249)
})

test('a note that cannot be deleted for good says why in the dialog', async () => {
  await page.goto(`${svcd.url}/v/many?view=deleted`)
  const line = page.getByRole('listitem').filter({ hasText: 'Note 1.md' })
  const pass = await intercept(page, '**/trash/*', (route) =>
    route.fulfill({ status: 500, json: { ok: false, error: { code: 'storage_failed', message: 'broken' } } }),
  )
  await line.getByRole('button', { name: 'Delete for good' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete for good' })
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await dialog.getByRole('alert').getByText('The disk failed').waitFor()
  pass()
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await line.waitFor({ state: 'detached' })
})
