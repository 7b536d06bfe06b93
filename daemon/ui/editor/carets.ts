import { Facet, StateEffect, StateField } from '@codemirror/state'

/** The position of another person in the note, and the time of their last message. */
export type Caret = { id: string; name: string; ink: number; anchor: number; head: number; at: number }

/** The others are somewhere else now. */
export const othersMoved = StateEffect.define<readonly Caret[]>()

/** Where the others are; their positions move along with the text. */
export const othersCarets = StateField.define<readonly Caret[]>({
  create: () => [],
  update(now, { effects, changes, newDoc }) {
    const moved = effects.findLast((effect) => effect.is(othersMoved))?.value as readonly Caret[] | undefined
    if (moved) {
      const inText = (at: number) => Math.min(at, newDoc.length)
      return moved.map((caret) => ({ ...caret, anchor: inText(caret.anchor), head: inText(caret.head) }))
    }
    if (changes.empty || now.length === 0) return now
    return now.map((caret) => ({
      ...caret,
      anchor: changes.mapPos(caret.anchor, 1),
      head: changes.mapPos(caret.head, 1),
    }))
  },
})

/** Tells the others where this person writes when that is not at the cursor of the editor, as in a cell of a table. */
export const writesAt = Facet.define<(anchor: number, head: number) => void, (anchor: number, head: number) => void>({
  combine: ([first]) => first ?? (() => {}),
})
