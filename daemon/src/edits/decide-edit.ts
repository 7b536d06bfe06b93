import type { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { applySplices, planEdits, type EditPlan } from './plan-edits.ts'
import { rebaseSplices, touchedLines } from './rebase-edits.ts'
import { unifiedDiff } from './unified-diff.ts'

/**
 * Edits made against a baseline, and the note as it is now. `base` is the text of that baseline, if it is remembered.
 */
export type EditQuestion = {
  current: { text: string; baseline: string }
  baseline: string
  base?: string | undefined
  edits: readonly Edit[]
  onStale: 'reject' | 'rebase'
}

/** The text after the edits, and what the caller should know about it. */
export type EditDecision = { text: string; matched: string[]; diff: string }

/**
 * Applies edits to the present note. If the note has changed since the baseline, they are rebased if the caller allows
 * it and it is possible. Otherwise fails with `stale_doc`, whose details say how to continue.
 */
export function decideEdit({ current, baseline, base, edits, onStale }: EditQuestion): EditDecision {
  const decided = ({ splices, matched }: EditPlan): EditDecision => {
    const text = applySplices(current.text, splices)
    return { text, matched, diff: unifiedDiff(current.text, text) }
  }
  if (baseline === current.baseline) return decided(planEdits(current.text, edits))

  const plan = base === undefined ? undefined : tryPlan(base, edits)
  const moved = base !== undefined && plan ? rebaseSplices(base, current.text, plan.splices) : undefined
  if (onStale === 'rebase' && moved && plan) return decided({ splices: moved, matched: plan.matched })

  const within = base !== undefined && plan ? plan.splices.map((splice) => touchedLines(base, splice)) : undefined
  throw fail('stale_doc', {
    baseline: current.baseline,
    canRebase: moved !== undefined,
    diff: base === undefined ? undefined : unifiedDiff(base, current.text, within),
  })
}

/** The plan, or undefined when the edits do not even apply to the text that they were made for. */
function tryPlan(base: string, edits: readonly Edit[]): EditPlan | undefined {
  try {
    return planEdits(base, edits)
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
