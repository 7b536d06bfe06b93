import { Facet, StateEffect, StateField, type Transaction } from '@codemirror/state'
import { isElsewhere } from './text-origin.ts'

/**
 * The position of another person in the note, and the time of their last message. `client` is the id that their changes
 * carry.
 */
export type Caret = { id: string; client: string; name: string; ink: number; anchor: number; head: number; at: number }

/** The others are somewhere else now. */
export const othersMoved = StateEffect.define<readonly Caret[]>()

/** Where the others are; their positions move along with the text. */
export const othersCarets = StateField.define<readonly Caret[]>({
  create: () => [],
  update(now, transaction) {
    const { effects, changes, newDoc } = transaction
    const moved = effects.findLast((effect) => effect.is(othersMoved))?.value as readonly Caret[] | undefined
    if (moved) {
      const inText = (at: number) => Math.min(at, newDoc.length)
      return moved.map((caret) => ({ ...caret, anchor: inText(caret.anchor), head: inText(caret.head) }))
    }
    if (changes.empty || now.length === 0) return now
    const writer = clientOf(transaction)
    return now.map((caret) => {
      // Whoever typed at their own caret is behind the new text, everybody else there is before it.
      const side = caret.client === writer ? 1 : -1
      return { ...caret, anchor: changes.mapPos(caret.anchor, side), head: changes.mapPos(caret.head, side) }
    })
  },
})

function clientOf(transaction: Transaction): string | undefined {
  const change = isElsewhere(transaction)
  return change?.origin === 'remote' ? change.client : undefined
}

/** Tells the others where this person writes when that is not at the cursor of the editor, as in a cell of a table. */
export const writesAt = Facet.define<(anchor: number, head: number) => void, (anchor: number, head: number) => void>({
  combine: ([first]) => first ?? (() => {}),
})
