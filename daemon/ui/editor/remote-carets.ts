import { StateEffect, StateField, type Range, type TransactionSpec } from '@codemirror/state'
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view'
import type { Presence } from '../live/live-view.ts'
import { inksOf } from '../live/inks.ts'

const placed = StateEffect.define<readonly Caret[]>()

type Caret = { id: string; name: string; ink: number; anchor: number; head: number; at: number }

/** The current carets of the others. */
export function showCarets({ people, cursors }: Presence, you: string | undefined): TransactionSpec {
  const inks = inksOf(people, you)
  const carets = people.flatMap(({ id, who }) => {
    const cursor = cursors.get(id)
    return cursor && id !== you ? [{ id, name: who.name, ink: inks.get(id)!, ...cursor }] : []
  })
  return { effects: placed.of(carets) }
}

/** A caret with its head. The name shows under the pointer. */
class CaretWidget extends WidgetType {
  readonly #caret: Caret

  constructor(caret: Caret) {
    super()
    this.#caret = caret
  }

  override eq(other: CaretWidget): boolean {
    const [mine, its] = [this.#caret, other.#caret]
    return mine.id === its.id && mine.ink === its.ink && mine.at === its.at && mine.name === its.name
  }

  override toDOM(): HTMLElement {
    const caret = document.createElement('span')
    caret.className = `cm-their-caret cm-ink-${this.#caret.ink}`
    caret.setAttribute('aria-hidden', 'true')
    const name = document.createElement('span')
    name.className = 'cm-their-name'
    name.textContent = this.#caret.name
    caret.append(document.createElement('i'), name)
    return caret
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** The positions of the others in the text. */
export const remoteCarets = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    const effect = transaction.effects.find((one) => one.is(placed))
    if (!effect) return now.map(transaction.changes)
    const { length } = transaction.newDoc
    const ranges = (effect.value as readonly Caret[]).flatMap((caret): Range<Decoration>[] => {
      const [anchor, head] = [Math.min(caret.anchor, length), Math.min(caret.head, length)]
      const widget = Decoration.widget({ widget: new CaretWidget(caret), side: 1 }).range(head)
      if (anchor === head) return [widget]
      const selected = Decoration.mark({ class: `cm-their-selection cm-ink-${caret.ink}` })
      return [selected.range(Math.min(anchor, head), Math.max(anchor, head)), widget]
    })
    return Decoration.set(ranges, true)
  },
  provide: (field) => EditorView.decorations.from(field),
})
