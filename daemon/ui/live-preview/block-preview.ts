import { syntaxTree } from '@codemirror/language'
import { StateEffect, StateField, type EditorState, type Range, type Transaction } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
  type WidgetType,
} from '@codemirror/view'
import { parseTable } from '../tables/table-model.ts'
import { TableWidget } from '../tables/table-widget.ts'
import { awaitedBlocks, untilBlankLine } from './awaited-blocks.ts'
import { propertiesWidget } from './properties-widget.ts'
import { RenderedWidget } from './rendered-widget.ts'
import { hasRevealed, isRevealed } from './revealed.ts'
import { renderPiece, surroundingsChanged, surroundingsOf } from './surroundings.ts'

type Part = { from: number; to: number }

// Larger blocks are shown as source: creating thousands of elements would block typing.
const MAX_BLOCK = 20_000
const MAX_TABLE = 60_000
const MAX_CELLS = 2_000
const FIRST_WINDOW = 8_000

const looked = StateEffect.define<Part>()

type Blocks = { window: Part; decorations: DecorationSet }

/**
 * Draws properties, tables, formulas and diagrams that have lines of their own. CodeMirror must know the height of such
 * blocks before it knows the viewport, so they come from a state field. Only blocks in the window around the viewport
 * are updated.
 */
const field = StateField.define<Blocks>({
  create: (state) => {
    const window = { from: 0, to: Math.min(state.doc.length, FIRST_WINDOW) }
    return { window, decorations: Decoration.set(blocksIn(state, window), true) }
  },
  update(now, transaction) {
    const { state, startState, changes, docChanged, effects } = transaction
    const seen = effects.findLast((effect) => effect.is(looked))?.value as Part | undefined
    const isStale =
      docChanged ||
      seen !== undefined ||
      hasRevealed(startState, state) ||
      syntaxTree(startState) !== syntaxTree(state) ||
      effects.some((effect) => effect.is(surroundingsChanged))
    if (!isStale) return now
    const { length } = state.doc
    const window = seen
      ? { from: Math.min(seen.from, length), to: Math.min(seen.to, length) }
      : { from: changes.mapPos(now.window.from, -1), to: changes.mapPos(now.window.to, 1) }
    return { window, decorations: renewed(now, { transaction, window }) }
  },
  provide: (blocks) => EditorView.decorations.from(blocks, ({ decorations }) => decorations),
})

/** Redraws the blocks in the window. Blocks outside it stay as they are, except changed ones. */
function renewed({ decorations }: Blocks, { transaction, window }: { transaction: Transaction; window: Part }) {
  const { state, changes } = transaction
  const mapped = decorations.map(changes)
  const touched: Part[] = [window]
  changes.iterChangedRanges((_from, _to, from, to) => touched.push({ from: from - 1, to: to + 1 }))
  const isKept = (from: number, to: number) =>
    from < to && !touched.some((part) => part.from <= to && part.to >= from) && !isRevealed(state, { from, to })
  const add = [...blocksIn(state, window), ...awaitedBlocks(state, { drawn: mapped, window, again })]
  return mapped.update({ filter: isKept, add, sort: true })
}

function blocksIn(state: EditorState, window: Part): Range<Decoration>[] {
  const found: Range<Decoration>[] = []
  syntaxTree(state).iterate({
    ...window,
    enter: (node) => {
      if (/^(?:Paragraph|Task|List|Bullet|Ordered|ATX|Setext|HTML|Blockquote)/.test(node.name)) return false
      if (!/^(?:Table|MathBlock|FencedCode|Frontmatter)$/.test(node.name)) return true
      const block = drawn(state, { name: node.name, ...wholeLines(state, node) })
      if (block) found.push(block)
      return false
    },
  })
  return found
}

/** Extends a block to whole lines. */
function wholeLines({ doc }: EditorState, { from, to }: Part): Part {
  return { from: doc.lineAt(from).from, to: doc.lineAt(to).to }
}

function drawn(state: EditorState, { name, from, to }: Part & { name: string }): Range<Decoration> | undefined {
  if (isRevealed(state, { from, to }) || to - from > (name === 'Table' ? MAX_TABLE : MAX_BLOCK)) return undefined
  const source = state.sliceDoc(from, to)
  if (name === 'FencedCode' && !/^[ ]{0,3}(?:`{3,}|~{3,})[ \t]*mermaid\b/.test(source)) return undefined
  const widget = widgetFor(name, { source, from, state })
  return widget && Decoration.replace({ widget, block: true }).range(from, to)
}

/** A table is parsed again from its text. Every other block stays as it was drawn. */
function again(state: EditorState, { from, to, drawn }: Part & { drawn: Decoration }): Range<Decoration> | undefined {
  if (!(drawn.spec.widget instanceof TableWidget)) return drawn.range(from, to)
  const lines = wholeLines(state, { from, to })
  const source = untilBlankLine(state.sliceDoc(lines.from, lines.to))
  const widget = source.length > MAX_TABLE ? undefined : tableIn(source, lines.from)
  return widget && Decoration.replace({ widget, block: true }).range(lines.from, lines.from + source.length)
}

type Block = { source: string; from: number; state: EditorState }

function widgetFor(name: string, { source, from, state }: Block): WidgetType | undefined {
  if (name === 'Table') return tableIn(source, from)
  if (name === 'Frontmatter') return propertiesWidget(source)
  return new RenderedWidget(renderPiece(source, surroundingsOf(state)), 'block')
}

function tableIn(source: string, at: number): TableWidget | undefined {
  const table = parseTable(source)
  if (!table || table.columns.length * table.rows.length > MAX_CELLS) return undefined
  return new TableWidget({ source, table, at })
}

/** The drawn block that begins or ends at a position. */
export function blockAt(state: EditorState, at: number): (Part & { isTable: boolean }) | undefined {
  let found: (Part & { isTable: boolean }) | undefined
  state.field(field).decorations.between(at, at, (from, to, { spec }) => {
    found = { from, to, isTable: spec.widget instanceof TableWidget }
  })
  return found
}

/** Reports the viewport to the state after each drawing. */
const watching = ViewPlugin.define((view) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    timer = undefined
    const { viewport } = view
    const { window } = view.state.field(field)
    if (viewport.from < window.from || viewport.to > window.to) view.dispatch({ effects: looked.of({ ...viewport }) })
  }
  const soon = () => (timer ??= setTimeout(look))
  soon()
  return {
    update: ({ viewportChanged }: ViewUpdate) => {
      if (viewportChanged) soon()
    },
    destroy: () => clearTimeout(timer),
  }
})

/** Draws blocks with lines of their own as the reading view shows them. */
export const blockPreview = [field, watching]
