import { Facet, StateEffect, StateField, type Transaction } from '@codemirror/state'
import { isElsewhere } from './text-origin.ts'

/**
 * The position of another person in the note, and the time of their last message. `client` is the id that their changes
 * carry.
 */
export type Caret = { id: string; client: string; name: string; ink: number; anchor: number; head: number; at: number }

/** The latest carets of the others. */
export const othersMoved = StateEffect.define<readonly Caret[]>()

/** The carets of the others. Their positions move along with the text. */
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
      // The caret of the person who typed goes behind the new text; other carets at the same place stay before it.
      const side = caret.client === writer ? 1 : -1
      return { ...caret, anchor: changes.mapPos(caret.anchor, side), head: changes.mapPos(caret.head, side) }
    })
  },
})

function clientOf(transaction: Transaction): string | undefined {
  const change = isElsewhere(transaction)
  return change?.origin === 'remote' ? change.client : undefined
}

/** Reports where this person writes, if that is not at the cursor of the editor: for example in the cell of a table. */
export const writesAt = Facet.define<(anchor: number, head: number) => void, (anchor: number, head: number) => void>({
  combine: ([first]) => first ?? (() => {}),
})
