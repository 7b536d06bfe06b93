import pino from 'pino'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../../../test/support/remove-folder.ts'
import { verifies } from '../../../test/requirements.ts'
import { linkFactsOf } from '../markdown/link-facts.ts'
import { readNoteFacts } from '../markdown/note-facts.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import type { FileContent } from '../vaults/vault-change.ts'
import { Manifest } from '../watch/manifest.ts'
import { backlinksOf } from './backlinks.ts'
import { createLinkIndex } from './link-index.ts'
import { LinksFileWriter } from './links-file.ts'
import { linksIn, packRecord } from './note-record.ts'

const NOTES = 300
const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 }
const names = (from: string) => Array.from({ length: NOTES }, (_, number) => `${from}${number}`)
const runNoteJob = (async ({ input }: { input: { text: string } }) => linkFactsOf(input)) as unknown as RunNoteJob

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-link-index-'))
})
afterEach(() => removeFolder(folder))

function contentOf(path: string, text: string): Extract<FileContent, { text: string }> {
  const bytes = Buffer.from(text)
  const { tags, properties, ...facts } = readNoteFacts(path, bytes, text)
  return { facts, tags, properties, bytes, text }
}

/** Each note links to the one of its name. */
const filedNotes = names('filed').map((name) => ({ path: `${name}.md`, text: `[[to ${name}]]` }))

function writeLinks(target: string): void {
  const writer = new LinksFileWriter()
  for (const { path, text } of filedNotes) {
    const { facts, tags } = contentOf(path, text)
    writer.add({
      path,
      baseline: facts.baseline,
      record: packRecord({ ...linkFactsOf({ text }), tags, properties: [] }),
    })
  }
  writer.write(target)
}

/** Calls `looked` whenever the links look at a note, which is in every slice of their work. */
class WatchedManifest extends Manifest {
  looked = (): void => {}

  override file(path: string) {
    this.looked()
    return super.file(path)
  }
}

/** A link index of notes whose links nobody reads from the disk. */
function indexOf(manifest: Manifest, clock = systemClock) {
  return createLinkIndex({
    root: folder,
    file: join(folder, 'links'),
    manifest,
    reader: { read: async ({ file: target }) => writeLinks(target) },
    runNoteJob,
    describeFile: () => expect.fail('no note is read by the daemon'),
    maxNoteBytes: 1_000_000,
    clock,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  })
}

test.each([
  { from: 'the file of an earlier run', isFiled: true },
  { from: 'the file that the separate process writes', isFiled: false },
])('notes that are created while $from is adopted take no links from others', async ({ isFiled }) => {
  verifies('links.late-notes')
  const manifest = new WatchedManifest()
  for (const { path, text } of filedNotes) manifest.putFile({ path, stamp, facts: contentOf(path, text).facts })
  if (isFiled) writeLinks(join(folder, 'links'))
  const links = indexOf(manifest)
  const created = names('created')
  let next = 0
  manifest.looked = () => {
    const name = created[next++]
    if (name !== undefined) links.put(`${name}.md`, contentOf(`${name}.md`, `[[to ${name}]]`))
  }

  await links.fill()
  await links.whenParsed()

  expect(next).toBeGreaterThanOrEqual(NOTES)
  const targetsOf = (path: string) => {
    const record = links.records.record(links.records.numberOf(path)!)
    return record && Array.from(linksIn(record), ({ target }) => target)
  }
  for (const name of [...names('filed'), ...created]) {
    expect([name, targetsOf(`${name}.md`)]).toEqual([name, [`to ${name}`]])
    links.put(`to ${name}.md`, contentOf(`to ${name}.md`, ''))
  }
  await links.whenParsed()
  for (const name of [...names('filed'), ...created]) {
    const backlinks = await Array.fromAsync(backlinksOf(links, `to ${name}.md`, { pause: async () => {} }))
    expect([name, backlinks.map(({ path }) => path)]).toEqual([name, [`${name}.md`]])
  }
})

test('referrers of a vault in which most notes change while they are found lose none of the others', async () => {
  verifies('links.routes')
  // Each look at the clock is late, so each step of the work is a turn of its own.
  let now = 0
  const links = indexOf(new Manifest(), { ...systemClock, monotonic: () => (now += 1000) })
  const put = (path: string, text: string) => links.put(path, contentOf(path, text))
  const paths = Array.from({ length: 800 }, (_, number) => `${number}.md`)
  const [late, soon, unchanged] = [paths.slice(0, 100), paths.slice(100, 700), paths.slice(700)]
  for (const path of paths) put(path, `[[to ${path}]]`)
  await links.whenParsed()

  const counted = Promise.withResolvers<void>()
  const { record } = links.records
  let looks = 0
  links.records.record = (number) => {
    if (++looks === paths.length) counted.resolve()
    return record.call(links.records, number)
  }
  const first = links.referrers()
  await counted.promise
  for (const path of soon) put(path, '')
  await links.whenParsed()
  const second = links.referrers()
  for (const path of late) put(path, Array.from({ length: 100 }, (_, nth) => `[[${nth} of ${path}]]`).join('\n'))
  await links.whenParsed()

  for (const referrers of [await first, await second])
    for (const path of [...unchanged, ...late]) {
      const [number, target] = [links.records.numberOf(path), late.includes(path) ? `7 of ${path}` : `to ${path}`]
      expect([path, Array.from(referrers.mayLinkTo(target)).includes(number!)]).toEqual([path, true])
    }
})
