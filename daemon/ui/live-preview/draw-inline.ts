import type { SyntaxNodeRef } from '@lezer/common'
import { parseLinkTarget } from '../links/link-target.ts'
import { resolveLink } from '../links/resolve-link.ts'
import type { Drawing } from './drawing.ts'
import { RenderedWidget } from './rendered-widget.ts'
import { renderPiece, surroundingsOf } from './surroundings.ts'

type Deps = { out: Drawing; showsMarks: boolean }

// A longer embed or formula is shown as source.
const LONGEST = 2000

/** Draws the inline nodes of a paragraph. Returns whether to visit the nodes inside. */
export function drawInline(node: SyntaxNodeRef, { out, showsMarks }: Deps): boolean {
  const { name, from, to } = node
  switch (name) {
    case 'EmphasisMark':
    case 'StrikethroughMark':
      if (!showsMarks) out.hide(from, to)
      return false
    case 'Escape':
      if (!showsMarks) out.hide(from, from + 1)
      return false
    case 'InlineCode':
      drawInlineCode(node, { out, showsMarks })
      return false
    case 'Highlight':
      if (!showsMarks) [from, to - 2].forEach((at) => out.hide(at, at + 2))
      return false
    case 'Link':
      return drawLink(node, { out, showsMarks })
    case 'Autolink':
      out.mark(from, to, 'cm-link')
      if (!showsMarks) [from, to - 1].forEach((at) => out.hide(at, at + 1))
      return false
    case 'URL':
      out.mark(from, to, 'cm-link')
      return false
    case 'WikiLink':
      drawWikiLink(node, { out, showsMarks })
      return false
    case 'Image':
      drawEmbed(node, { out, showsMarks })
      return false
    case 'InlineMath':
      if (!showsMarks) drawRendered(node, out)
      return false
    default:
      return true
  }
}

function drawInlineCode({ node, from, to }: SyntaxNodeRef, { out, showsMarks }: Deps) {
  out.mark(from, to, 'cm-inline-code')
  if (!showsMarks) for (const mark of node.getChildren('CodeMark')) out.hide(mark.from, mark.to)
}

/** Draws a link that contains its address. A reference link is shown as source. */
function drawLink({ node, from, to }: SyntaxNodeRef, { out, showsMarks }: Deps): boolean {
  const [open, close] = node.getChildren('LinkMark')
  if (!open || !close || !node.getChild('URL')) return true
  out.mark(open.to, close.from, 'cm-link')
  if (showsMarks) return true
  out.hide(from, open.to)
  out.hide(close.from, to)
  return true
}

function drawWikiLink(node: SyntaxNodeRef, { out, showsMarks }: Deps) {
  const { from, to } = node
  const text = out.state.sliceDoc(from, to)
  if (text.startsWith('!')) return drawEmbed(node, { out, showsMarks })
  const { index, path } = surroundingsOf(out.state)
  const { target } = parseLinkTarget(text.slice(2, -2))
  const isWritten = target === '' || !index.isKnown || resolveLink(index, { target, from: path }) !== undefined
  out.mark(from + 2, to - 2, isWritten ? 'cm-link' : 'cm-link cm-unwritten')
  if (showsMarks) return
  const bar = text.indexOf('|')
  out.hide(from, bar > 1 && bar < text.length - 3 ? from + bar + 1 : from + 2)
  out.hide(to - 2, to)
}

/**
 * While the source of an embed shows, the embed stays visible after it, so that the page does not jump when the cursor
 * enters.
 */
function drawEmbed(node: SyntaxNodeRef, { out, showsMarks }: Deps) {
  const { from, to } = node
  if (!showsMarks) return drawRendered(node, out)
  const text = out.state.sliceDoc(from, Math.min(to, from + LONGEST))
  if (to - from < LONGEST) out.after(to, new RenderedWidget(renderPiece(text, surroundingsOf(out.state)), 'inline'))
}

function drawRendered({ from, to }: { from: number; to: number }, out: Drawing) {
  if (to - from >= LONGEST) return
  out.replace(
    from,
    to,
    new RenderedWidget(renderPiece(out.state.sliceDoc(from, to), surroundingsOf(out.state)), 'inline'),
  )
}
