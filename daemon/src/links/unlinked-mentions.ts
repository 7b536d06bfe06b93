import type { Referrer } from '@svc/shared/wire/daemon/daemon-links.api.ts'
import { costOfNote } from '../markdown/note-cost.ts'
import type { RunNoteJob } from '../note-jobs/run-note-job.ts'
import { parseQuery } from '../search/words/query.ts'
import type { SearchBudget } from '../search/search-budget.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { Vault } from '../vaults/vault.ts'
import { lineTexts, noteText } from './line-texts.ts'

/** Finds notes that name a note, by its file name or an alias, without a link to it. */
export type UnlinkedMentions = (vault: Vault, path: string, budget: SearchBudget) => AsyncGenerator<Referrer>

type Deps = { indexOf: (vault: Vault) => SearchIndex; runNoteJob: RunNoteJob; maxNoteBytes: number }

const MAX_NAMES = 10
const MAX_NOTES = 50
// A name of one character occurs in every note.
const SHORTEST = 2
// As long as the name of a file can be. An alias may be a text of megabytes, and each of its words would be searched.
const LONGEST = 255

export function createUnlinkedMentions({ indexOf, runNoteJob, maxNoteBytes }: Deps): UnlinkedMentions {
  async function namesOf(vault: Vault, path: string): Promise<string[]> {
    const text = await noteText({ root: vault.layout.root, path, maxNoteBytes })
    const job = { job: 'parts', input: { path, text: text ?? '' }, cost: costOfNote(text ?? '') } as const
    const { properties } = await runNoteJob(job)
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|markdown)$/i, '')
    const aliases = [properties['aliases'] ?? properties['alias']].flat().filter((alias) => typeof alias === 'string')
    const names = [name, ...aliases]
      .map((each) => each.trim())
      .filter(({ length }) => length >= SHORTEST && length <= LONGEST)
    return [...new Set(names)].slice(0, MAX_NAMES)
  }

  return async function* find(vault, path, budget) {
    const names = await namesOf(vault, path)
    const seen = new Set([path])
    for (const name of names) {
      const query = parseQuery(`"${name.replaceAll('"', ' ')}"`)
      if (query.must.length === 0) continue
      const { found } = await indexOf(vault).find({ query, limit: MAX_NOTES, budget })
      for (const { path: other, title } of found) {
        if (seen.has(other)) continue
        seen.add(other)
        await budget.pause()
        const place = { root: vault.layout.root, path: other, maxNoteBytes }
        const text = await noteText(place)
        if (text === undefined) continue
        const cost = costOfNote(text) * names.length
        const lines = await runNoteJob({ job: 'mentions', input: { text, names }, cost })
        if (lines.length > 0) yield { path: other, title, lines: await lineTexts(place, lines) }
      }
    }
  }
}
