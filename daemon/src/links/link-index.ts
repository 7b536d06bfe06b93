import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Log } from '@svc/shared/kit/log.ts'
import { errnoOf } from '../files/fs-failure.ts'
import { readWhole } from '../files/open-file.ts'
import type { DescribeFile } from '../notes/describe-file.ts'
import { noLinkFacts } from '../markdown/unparsed-note.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { createSearchBudget } from '../search/search-budget.ts'
import type { FileContent } from '../vaults/vault-change.ts'
import type { Manifest } from '../watch/manifest.ts'
import { pathsOf } from '../watch/remembered.ts'
import { slices } from '../watch/slices.ts'
import { FileNames } from './file-names.ts'
import { readLinksFile, recordsIn } from './links-file.ts'
import type { LinksReader } from './links-reader.ts'
import { packRecord } from './note-record.ts'
import { NoteRecordTable } from './note-record-table.ts'
import { buildReferrers, type Referrers } from './referrers.ts'

/** The links of a vault in memory. */
export type OpenLinks = {
  names: FileNames
  records: NoteRecordTable
  /** Counts changes, so that results derived from all links are known to be outdated. */
  changes(): number
  /** Aborts when the vault is closed. */
  closing: AbortSignal
  /** Possible referrers; rebuilt when much has changed. */
  referrers(): Promise<Referrers>
  /** Replaces the record of a file by its present content. */
  put(path: string, content: FileContent): void
  remove(path: string): void
  /** Resolves when everything that was put is parsed. */
  whenParsed(): Promise<unknown>
  /** Reads the links that the file of an earlier run does not have. */
  fill(): Promise<void>
}

type Options = {
  root: string
  /** The file that keeps the links of all notes over a restart. */
  file: string
  manifest: Manifest
  reader: LinksReader
  runNoteJob: RunNoteJob
  describeFile: DescribeFile
  maxNoteBytes: number
  clock: Clock
  log: Log
  signal: AbortSignal
}

type NoteContent = Extract<FileContent, { text: string }>

// More notes than this are read by a separate process.
const READ_HERE = 100
// Above this many changed notes, checking each of them takes longer than finding all referrers again.
const MOST_APART = 500

/** Starts empty: `fill` reads the links, and changes are accepted meanwhile. */
export function createLinkIndex(options: Options): OpenLinks {
  const { root, file, manifest, reader, runNoteJob, describeFile, maxNoteBytes, clock, log, signal } = options
  const names = new FileNames()
  const records = new NoteRecordTable()
  const parsing = new Map<string, Promise<void>>()
  let changes = 0
  let apart = new Set<number>()
  // The notes left out of each list that is being built: a list that another has replaced must not see changes either.
  const building = new Set<Set<number>>()
  let referrers: Promise<Referrers> | undefined

  const pacer = () => createSearchBudget({ clock, deadlineMs: Number.POSITIVE_INFINITY })

  /** Never rejects: a note whose links cannot be read has none. */
  async function recordOf({ text, tags, properties }: NoteContent): Promise<Uint8Array> {
    // Other followers parse the change in this turn of the event loop.
    await setImmediate()
    const facts = await runNoteJob({ job: 'links', input: { text }, cost: costOfNote(text) }).catch(
      (error: unknown) => {
        if (!(error instanceof ParsingStopped)) log.error({ err: error }, 'the links of a note cannot be read')
        return noLinkFacts
      },
    )
    return packRecord({ ...facts, tags, properties: Object.keys(properties) })
  }

  function keep(path: string, record: Uint8Array): void {
    const number = records.put(path, record)
    for (const changed of [apart, ...building]) changed.add(number)
    changes++
  }

  function put(path: string, content: FileContent): void {
    names.add(path)
    changes++
    parsing.delete(path)
    if (!('text' in content)) return records.remove(path)
    if (!records.has(path)) keep(path, packRecord({ ...noLinkFacts, tags: [], properties: [] }))
    const parsed = recordOf(content).then((record) => {
      // Replaced or removed while it was being parsed.
      if (parsing.get(path) !== parsed) return
      parsing.delete(path)
      keep(path, record)
    })
    parsing.set(path, parsed)
  }

  /** Takes over the records of unchanged notes from a file; returns the paths of notes without one. */
  async function adopt(): Promise<string[]> {
    const block = await readLinksFile(file).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') log.warn({ err: error }, 'the stored links cannot be used and are read again')
    })
    const pause = slices(signal)
    if (block) {
      records.useBlock(block)
      for (const { path, baseline, start, end } of recordsIn(block)) {
        const known = manifest.file(path)
        if (known?.facts?.kind === 'note' && known.facts.baseline === baseline)
          records.putInBlock(known.path, start, end)
        await pause()
      }
    }
    const missing: string[] = []
    for (const { path, facts } of manifest.files()) {
      if (facts?.kind === 'note' && !records.has(path)) missing.push(path)
      await pause()
    }
    return missing
  }

  return {
    names,
    records,
    changes: () => changes,
    closing: signal,
    put,
    remove(path) {
      names.remove(path)
      records.remove(path)
      parsing.delete(path)
      changes++
    },
    whenParsed: () => Promise.all(parsing.values()),

    referrers() {
      if (referrers && apart.size <= MOST_APART) return referrers
      const changed = (apart = new Set<number>())
      building.add(changed)
      referrers = buildReferrers({ records, apart, pause: pacer().pause }).finally(() => building.delete(changed))
      return referrers
    },

    async fill() {
      const pause = slices(signal)
      for (const path of pathsOf(manifest.asOfNow())) {
        if (manifest.hasFile(path)) names.add(path)
        await pause()
      }
      let missing = await adopt()
      if (missing.length > READ_HERE && !signal.aborted) {
        await reader.read({ root, file, signal }).catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, 'the separate process that reads links has failed')
        })
        missing = await adopt()
      }
      for (const path of missing) {
        if (signal.aborted) return
        const seen = await readWhole(root, path, maxNoteBytes).catch(() => undefined)
        if (!seen || records.has(path) || !manifest.hasFile(path)) continue
        const content = await describeFile(path, seen.bytes)
        if (!('text' in content)) continue
        const record = await recordOf(content)
        if (!records.has(path) && manifest.hasFile(path)) keep(path, record)
      }
      // The numbers of notes have changed while the file was read.
      referrers = undefined
      changes++
    },
  }
}
