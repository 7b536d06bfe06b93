import { syntaxTree } from '@codemirror/language'
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view'
import { drawBlock } from './draw-blocks.ts'
import { drawInline } from './draw-inline.ts'
import { drawing } from './drawing.ts'
import { hasRevealed, isRevealed } from './revealed.ts'
import { surroundingsChanged } from './surroundings.ts'

/** Blocks that show all of their Markdown while the selection touches them. */
const LEAVES = /^(?:Paragraph|Task|ATXHeading\d|SetextHeading\d|HTMLBlock|LinkReference)$/

/** Draws the visible text. Marks are hidden wherever the selection does not touch them. */
export const inlinePreview = ViewPlugin.define<{ decorations: DecorationSet; update(update: ViewUpdate): void }>(
  (view) => ({
    decorations: drawn(view),
    update(update) {
      if (isStale(update)) this.decorations = drawn(update.view)
    },
  }),
  { decorations: ({ decorations }) => decorations },
)

const isStale = ({ docChanged, viewportChanged, startState, state, transactions }: ViewUpdate): boolean =>
  docChanged ||
  viewportChanged ||
  hasRevealed(startState, state) ||
  syntaxTree(startState) !== syntaxTree(state) ||
  transactions.some(({ effects }) => effects.some((effect) => effect.is(surroundingsChanged)))

function drawn({ state, visibleRanges }: EditorView): DecorationSet {
  const out = drawing(state)
  for (const visible of visibleRanges) {
    let showsMarks = false
    syntaxTree(state).iterate({
      ...visible,
      enter: (node) => {
        if (LEAVES.test(node.name)) showsMarks = isRevealed(state, node)
        return drawBlock(node, { out, visible }) && drawInline(node, { out, showsMarks })
      },
    })
  }
  return Decoration.set(out.ranges, true)
}
