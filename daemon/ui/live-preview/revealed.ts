import { StateEffect, StateField, type EditorState, type SelectionRange } from '@codemirror/state'
import { ViewPlugin } from '@codemirror/view'

const pressed = StateEffect.define<'down' | 'up'>()

type Revealed = { isDown: boolean; ranges: readonly Pick<SelectionRange, 'from' | 'to'>[] }

/**
 * The parts of the text that show their source: those that the selection touches. They stay the same while the pointer
 * is down, so that the text does not move under it.
 */
const field = StateField.define<Revealed>({
  create: ({ selection }) => ({ isDown: false, ranges: selection.ranges }),
  update(now, { effects, changes, docChanged, newSelection }) {
    const press = effects.findLast((effect) => effect.is(pressed))?.value as 'down' | 'up' | undefined
    const isDown = press === undefined ? now.isDown : press === 'down'
    if (!isDown) {
      const same = !docChanged && areSame(newSelection.ranges, now.ranges)
      return same && !now.isDown ? now : { isDown, ranges: newSelection.ranges }
    }
    if (!docChanged && now.isDown) return now
    return {
      isDown,
      ranges: now.ranges.map(({ from, to }) => ({ from: changes.mapPos(from), to: changes.mapPos(to) })),
    }
  },
})

const areSame = (one: Revealed['ranges'], other: Revealed['ranges']) =>
  one.length === other.length && one.every(({ from, to }, at) => other[at]!.from === from && other[at]!.to === to)

const pointer = ViewPlugin.define(
  (view) => {
    const up = () => {
      if (view.state.field(field).isDown) view.dispatch({ effects: pressed.of('up') })
    }
    window.addEventListener('pointerup', up)
    window.addEventListener('pointercancel', up)
    window.addEventListener('blur', up)
    return {
      destroy: () => {
        window.removeEventListener('pointerup', up)
        window.removeEventListener('pointercancel', up)
        window.removeEventListener('blur', up)
      },
    }
  },
  {
    eventHandlers: {
      pointerdown: (event, view) => {
        if (event.button === 0) view.dispatch({ effects: pressed.of('down') })
      },
    },
  },
)

/** Tracks the parts that show their source. */
export const revealing = [field, pointer]

/** The parts that show their source; the same object as long as nothing changes. */
export const revealedIn = (state: EditorState): Revealed['ranges'] => state.field(field).ranges

/** Whether a part of the text shows its source. */
export const isRevealed = (state: EditorState, { from, to }: { from: number; to: number }): boolean =>
  revealedIn(state).some((range) => range.from <= to && range.to >= from)

/** Whether the parts that show their source have changed. True if the live preview was just switched on. */
export const hasRevealed = (before: EditorState, after: EditorState): boolean =>
  before.field(field, false)?.ranges !== revealedIn(after)
