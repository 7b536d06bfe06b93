import { StateEffect, StateField, type Range, type Transaction } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet } from '@codemirror/view'
import { systemClock } from '@svc/shared/kit/clock.ts'
import type { LiveWho } from '@svc/shared/wire/daemon/live-messages.ts'
import { isElsewhere } from './text-origin.ts'

const SHOWN_MS = 10_000
const LOOK_MS = 1000
// With more marks than this, the whole note was rewritten, and marks say nothing.
const MOST = 200

type Mark = { from: number; to: number; who: LiveWho; at: number }
type Marks = { list: readonly Mark[]; decorations: DecorationSet }

const faded = StateEffect.define<number>()

/** The author of a change, in the margin beside it. */
class WhoWidget extends WidgetType {
  readonly #who: LiveWho

  constructor(who: LiveWho) {
    super()
    this.#who = who
  }

  override eq(other: WhoWidget): boolean {
    return other.#who.kind === this.#who.kind && other.#who.name === this.#who.name
  }

  override toDOM(): HTMLElement {
    const label = document.createElement('span')
    label.className = `cm-who cm-by-${this.#who.kind}`
    label.setAttribute('aria-hidden', 'true')
    label.textContent = whoText(this.#who)
    return label
  }
}

/** The author of a change as text. */
const whoText = ({ kind, name }: LiveWho): string => (kind === 'outside' ? 'Changed on disk' : name)

const field = StateField.define<Marks>({
  create: () => ({ list: [], decorations: Decoration.none }),
  update(marks, transaction) {
    const expired = transaction.effects.find((effect) => effect.is(faded))?.value as number | undefined
    if (!transaction.docChanged && expired === undefined) return marks
    const { changes } = transaction
    const known = marks.list
      .filter(({ at }) => expired === undefined || at > expired)
      .map((mark) => ({ ...mark, from: changes.mapPos(mark.from, 1), to: changes.mapPos(mark.to, -1) }))
      .filter(({ from, to }) => from <= to)
    const list = fresh(transaction).reduce<Mark[]>(joined, known).slice(-MOST)
    return { list, decorations: drawn(list, transaction) }
  },
  provide: (marks) => EditorView.decorations.from(marks, (value) => value.decorations),
})

/** The ranges that somebody else changed, with their positions after the transaction. */
function fresh(transaction: Transaction): Mark[] {
  const change = isElsewhere(transaction)
  if (change?.origin !== 'remote' || !change.who) return []
  const { who } = change
  const at = systemClock.monotonic()
  const marks: Mark[] = []
  transaction.changes.iterChangedRanges((_from, _to, from, to) => marks.push({ from, to, who, at }))
  return marks
}

/** Joins a mark with the adjacent mark of the same person. */
function joined(list: readonly Mark[], mark: Mark): Mark[] {
  const before = list.findIndex(({ to, from, who }) => who.name === mark.who.name && to === mark.from && from <= to)
  if (before < 0) return [...list, mark]
  return list.with(before, { ...mark, from: list[before]!.from })
}

function drawn(list: readonly Mark[], { newDoc }: Transaction): DecorationSet {
  const ranges: Range<Decoration>[] = []
  const named = new Map<number, LiveWho>()
  for (const { from, to, who } of list) {
    if (from < to) ranges.push(Decoration.mark({ class: `cm-theirs cm-by-${who.kind}` }).range(from, to))
    named.set(newDoc.lineAt(from).from, who)
  }
  for (const [at, who] of named) ranges.push(Decoration.widget({ widget: new WhoWidget(who), side: -1 }).range(at))
  return Decoration.set(ranges, true)
}

/** Removes the marks after a while. */
const fading = ViewPlugin.define((view) => {
  const timer = setInterval(() => {
    const expired = systemClock.monotonic() - SHOWN_MS
    if (view.state.field(field).list.some(({ at }) => at <= expired)) view.dispatch({ effects: faded.of(expired) })
  }, LOOK_MS)
  return { destroy: () => clearInterval(timer) }
})

/** Tints recent changes of others, with their names in the margin. */
export const remoteMarks = [field, fading]
