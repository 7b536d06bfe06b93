import type { SyntaxNodeRef } from '@lezer/common'
import { calloutHead, calloutLook } from '../markdown/callouts.ts'
import type { Drawing } from './drawing.ts'
import { isRevealed } from './revealed.ts'
import { bullet, CalloutWidget, rule, TaskWidget } from './small-widgets.ts'

type Part = { from: number; to: number }
type Deps = { out: Drawing; visible: Part }

const DEEPEST_LIST = 6
// A longer line is not treated as the head of a callout.
const HEAD_LENGTH = 300

/** Draws headings, lists, quotes, callouts and code. Returns whether to visit the nodes inside the block. */
export function drawBlock(node: SyntaxNodeRef, { out, visible }: Deps): boolean {
  const { state } = out
  const { name, from, to } = node
  const inSight = { from: Math.max(from, visible.from), to: Math.min(to, visible.to) }
  switch (name) {
    case 'HeaderMark':
      if (!isRevealed(state, node.node.parent ?? node)) hideHeaderMark(node, out)
      return false
    case 'ListItem':
      drawItem(node, out)
      return true
    case 'TaskMarker':
      if (!isRevealed(state, node)) out.replace(from, to, new TaskWidget(state.sliceDoc(from + 1, from + 2)))
      return false
    case 'Blockquote':
      drawQuote(node, { out, inSight })
      return true
    case 'QuoteMark':
      if (!isRevealed(state, state.doc.lineAt(from))) out.hide(from, to + Number(state.sliceDoc(to, to + 1) === ' '))
      return false
    case 'FencedCode':
    case 'CodeBlock':
      drawCode(node, { out, inSight })
      return true
    case 'HorizontalRule':
      if (!isRevealed(state, node)) out.replace(from, to, rule)
      return false
    case 'Frontmatter':
    case 'Table':
    case 'MathBlock':
      out.lines(inSight, 'cm-as-written')
      return false
    default: {
      const level = /^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1]
      if (level !== undefined) out.lines({ from: inSight.from, to: inSight.from }, `cm-heading cm-heading-${level}`)
      return true
    }
  }
}

/** Hides the marks before and after a heading, and one blank beside each. The underline of a heading stays. */
function hideHeaderMark({ from, to, node }: SyntaxNodeRef, { state, hide }: Drawing) {
  const heading = node.parent
  if (!heading?.name.startsWith('ATX')) return
  if (from === heading.from) hide(from, Math.min(to + Number(state.sliceDoc(to, to + 1) === ' '), heading.to))
  else hide(from - Number(state.sliceDoc(from - 1, from) === ' '), to)
}

function drawItem({ node, from }: SyntaxNodeRef, out: Drawing) {
  const { state } = out
  const line = state.doc.lineAt(from)
  let depth = 0
  for (let above = node.parent; above; above = above.parent)
    depth += Number(/^(?:Bullet|Ordered)List$/.test(above.name))
  out.lines({ from: line.from, to: line.from }, `cm-item cm-item-${Math.min(depth, DEEPEST_LIST)}`)
  // Hide the indentation: the margin shows the depth instead.
  const indent = { from: line.from, to: from }
  if (/^[ \t]+$/.test(state.sliceDoc(indent.from, indent.to)) && !isRevealed(state, { ...indent, to: from - 1 }))
    out.hide(indent.from, indent.to)

  const mark = node.getChild('ListMark')
  if (!mark || isRevealed(state, mark)) return
  const blank = Number(state.sliceDoc(mark.to, mark.to + 1) === ' ')
  if (node.getChild('Task')) out.hide(mark.from, mark.to + blank)
  else if (node.parent?.name === 'BulletList') out.replace(mark.from, mark.to, bullet)
  else out.mark(mark.from, mark.to, 'cm-number')
}

function drawQuote({ from, to }: Part, { out, inSight }: { out: Drawing; inSight: Part }) {
  const { state } = out
  const first = state.doc.lineAt(from)
  const text = state.sliceDoc(from, Math.min(first.to, from + HEAD_LENGTH))
  const head = calloutHead(text.replace(/^>[ \t]?/, ''))
  if (!head) return out.lines(inSight, 'cm-quote')

  const look = calloutLook(head.kind)
  out.lines(inSight, 'cm-callout', { 'data-look': look })
  if (inSight.from === from) out.lines({ from, to: from }, 'cm-callout-first')
  if (inSight.to === to) out.lines({ from: to, to }, 'cm-callout-last')
  if (isRevealed(state, first)) return
  const start = from + text.indexOf('[!')
  const titleAt = start + head.length
  out.replace(start, titleAt, new CalloutWidget(look, head.title === '' ? head.name : ''))
  out.mark(titleAt, first.to, 'cm-callout-title')
}

function drawCode(node: SyntaxNodeRef, { out, inSight }: { out: Drawing; inSight: Part }) {
  const { from, to, name } = node
  out.lines(inSight, 'cm-code')
  if (inSight.from === from) out.lines({ from, to: from }, 'cm-code-first')
  if (inSight.to === to) out.lines({ from: to, to }, 'cm-code-last')
  if (name !== 'FencedCode' || isRevealed(out.state, node)) return
  for (const mark of node.node.getChildren('CodeMark')) out.hide(mark.from, mark.to)
}
