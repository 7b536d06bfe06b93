import { StateField, type EditorState, type Range, type TransactionSpec } from '@codemirror/state'
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view'
import type { Presence } from '../live/live-view.ts'
import { inksOf } from '../live/inks.ts'
import { othersCarets, othersMoved, type Caret } from './carets.ts'

/** The transaction that updates the carets of the others. */
export function showCarets({ people, cursors }: Presence, you: string | undefined): TransactionSpec {
  const inks = inksOf(people, you)
  const carets = people.flatMap(({ id, client, who }) => {
    const cursor = cursors.get(id)
    return cursor && id !== you ? [{ id, client, name: who.name, ink: inks.get(id)!, ...cursor }] : []
  })
  return { effects: othersMoved.of(carets) }
}

/** A caret with a head. The name appears under the pointer. */
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

/** The carets and selections of the others in the text. */
const decorations = StateField.define<DecorationSet>({
  create: drawn,
  update: (now, { state, startState }) =>
    state.field(othersCarets) === startState.field(othersCarets) ? now : drawn(state),
  provide: (field) => EditorView.decorations.from(field),
})

function drawn(state: EditorState): DecorationSet {
  const ranges = state.field(othersCarets).flatMap((caret): Range<Decoration>[] => {
    const { anchor, head } = caret
    const widget = Decoration.widget({ widget: new CaretWidget(caret), side: 1 }).range(head)
    if (anchor === head) return [widget]
    const selected = Decoration.mark({ class: `cm-their-selection cm-ink-${caret.ink}` })
    return [selected.range(Math.min(anchor, head), Math.max(anchor, head)), widget]
  })
  return Decoration.set(ranges, true)
}

/** Shows the carets and selections of the others in the text. */
export const remoteCarets = [othersCarets, decorations]
