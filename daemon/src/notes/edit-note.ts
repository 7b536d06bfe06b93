import type { Edit } from '@svc/shared/wire/daemon.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../audit/actor.ts'
import type { VaultPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { baselineOf } from './baseline.ts'
import { applySplices, planEdits, type EditPlan } from './plan-edits.ts'
import { rebaseSplices, touchedLines } from './rebase-edits.ts'
import type { RecentVersions } from './recent-versions.ts'
import { storedNote, type StoredNote } from './stored-note.ts'
import { unifiedDiff } from './unified-diff.ts'
import type { WriteNote } from './write-note.ts'

type Editing = {
  vault: Vault
  path: VaultPath
  baseline: string
  edits: readonly Edit[]
  onStale: 'reject' | 'rebase'
  dryRun: boolean
  by: Actor
  tool: string
}

type Edited = { path: string; baseline: string; diff: string; matched: string[]; dryRun: boolean }

/** Changes passages of a note, for REST and MCP alike: all edits apply to the text of the baseline, or none does. */
export type EditNote = (editing: Editing) => Promise<Edited>

type Deps = { writeNote: WriteNote; versions: RecentVersions; maxNoteBytes: number }

/** Makes the verb. */
export function editNote({ writeNote, versions, maxNoteBytes }: Deps): EditNote {
  function apply(editing: Editing, current: StoredNote): { text: string; matched: string[] } {
    const { vault, baseline, edits, onStale } = editing
    if (baseline === current.baseline) {
      const { splices, matched } = planEdits(current.text, edits)
      return { text: applySplices(current.text, splices), matched }
    }
    const base = versions.find({ vault, path: current.path, baseline })
    const plan = base === undefined ? undefined : tryPlan(base, edits)
    const moved = base !== undefined && plan ? rebaseSplices(base, current.text, plan.splices) : undefined
    if (onStale === 'rebase' && moved && plan) return { text: applySplices(current.text, moved), matched: plan.matched }

    const within = base !== undefined && plan ? plan.splices.map((splice) => touchedLines(base, splice)) : undefined
    throw fail('stale_doc', {
      baseline: current.baseline,
      canRebase: moved !== undefined,
      diff: base === undefined ? undefined : unifiedDiff(base, current.text, within),
    })
  }

  return async (editing) => {
    const { vault, path, dryRun, by, tool } = editing
    if (dryRun) {
      const current = await storedNote({ vault, path, maxNoteBytes })
      const { text, matched } = apply(editing, current)
      const baseline = baselineOf(Buffer.from(text))
      return { path: current.path, baseline, diff: unifiedDiff(current.text, text), matched, dryRun }
    }

    let result = { diff: '', matched: [] as string[] }
    const written = await writeNote({
      vault,
      path,
      by,
      tool,
      next(current) {
        if (!current) throw fail('not_found')
        const { text, matched } = apply(editing, current)
        result = { diff: unifiedDiff(current.text, text), matched }
        return text
      },
    })
    return { path: written.path, baseline: written.baseline, ...result, dryRun }
  }
}

/** The plan, or undefined where the edits do not even fit the text that they were made for. */
function tryPlan(base: string, edits: readonly Edit[]): EditPlan | undefined {
  try {
    return planEdits(base, edits)
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
