// The vault UI in Chromium: first paint, the picture of links and a note of 10 MB, with the longest task of each page.
// --notes 10000 sets the size of the vault, --rounds 5 how often each page is opened. --pages WORDS opens only pages
// whose names contain these words.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openBrowser } from '../test/support/browser.ts'
import { startSvcd, type Svcd } from '../test/support/svcd.ts'
import { until } from '../test/support/until.ts'
import { generateVault } from './daemon/vault-generator.ts'
import { alternate, printTable, spread } from './rounds.ts'
import { longNotes, writeLongNotes } from './vault-ui/long-notes.ts'
import { visitsOf, type Visit } from './vault-ui/visits.ts'

const { values: options } = parseArgs({
  options: {
    notes: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    pages: { type: 'string', default: '' },
  },
})
const program = fileURLToPath(new URL('../daemon/dist/bundle/svcd.mjs', import.meta.url))
const rounds = Number(options.rounds)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const sizes = [100, Number(options.notes)]

/** A daemon with a vault of some notes, whose index is complete. */
async function startVault(notes: number): Promise<{ svcd: Svcd; note: string }> {
  const home = join(folder, String(notes))
  const root = join(home, 'vaults/v')
  mkdirSync(root, { recursive: true })
  const { note } = generateVault(root, notes)
  writeLongNotes(root)
  const svcd = await startSvcd({ home, program })
  await until('the daemon is ready', async () => (await fetch(`${svcd.url}/api/ready`)).ok)
  return { svcd, note }
}

const browser = await openBrowser()
const visits = visitsOf(browser)
const vaults = await Promise.all(sizes.map(startVault))
const pages: Record<string, (visit: Visit) => Promise<number>> = {}
vaults.forEach(({ svcd, note }, nth) => {
  const address = `${svcd.url}/v/v`
  const size = sizes[nth]!.toLocaleString('en')
  pages[`home of ${size} notes: first paint`] = (visit) => visit.firstPaint(address)
  pages[`home of ${size} notes: tree`] = (visit) => visit.until(address, '[role=treeitem]')
  pages[`a note among ${size}: text`] = (visit) => visit.until(`${address}/${encodeURI(note)}`, '.reading h1')
})
const large = `${vaults[1]!.svcd.url}/v/v`
const graph = `${large}?view=graph`
const count = sizes[1]!.toLocaleString('en')
pages[`links of ${count} notes: first picture`] = (visit) =>
  visit.until(graph, 'canvas:not([data-layout=none])[data-layout]')
pages[`links of ${count} notes: settled and drawn`] = (visit) =>
  visit.until(graph, 'canvas[data-layout=settled][data-drawn=whole]')
for (const { path, what } of longNotes) {
  pages[`10 MB in ${what}: text`] = (visit) => visit.until(`${large}/${path}`, '.reading')
  pages[`10 MB in ${what}: editor`] = (visit) => visit.untilEdited(`${large}/${path}`)
}

const wanted = Object.entries(pages).filter(([name]) => name.includes(options.pages))
const longest: Record<string, number[]> = {}
const measured = await alternate(
  Object.fromEntries(
    wanted.map(([name, open]) => [
      name,
      () =>
        visits.visit(async (visit) => {
          const ms = await open(visit)
          ;(longest[name] ??= []).push(await visit.longestTask())
          return ms
        }),
    ]),
  ),
  rounds,
)
await browser.close()
for (const { svcd } of vaults) await svcd.remove()
rmSync(folder, { recursive: true, force: true })

const ms = (value: number) => `${value.toFixed(0)} ms`
printTable(
  ['nothing cached', 'median', 'lowest – highest', 'longest task of the page, median'],
  Object.entries(measured).map(([name, times]) => {
    const { median, min, max } = spread(times)
    return [name, ms(median), `${min.toFixed(0)} – ${ms(max)}`, ms(spread(longest[name]!).median)]
  }),
)
