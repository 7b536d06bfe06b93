import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { parseRoute } from '../app/route.ts'
import { sanitize } from '../markdown/sanitize.ts'
import { renderPiece, surroundingsOf } from './surroundings.ts'

const LINKS = /^(?:Link|WikiLink|Autolink|URL|Image)$/

/**
 * A click with Control or Command follows the link under the pointer, a middle click opens it in a tab, and Alt+Enter
 * follows the link at the cursor. The address comes from rendering the link, so it is the same as in the reading view.
 */
export const followLinks = [
  EditorView.domEventHandlers({
    mousedown: (event, view) => {
      const where =
        event.button === 1 ? 'tab' : event.button === 0 && (event.ctrlKey || event.metaKey) ? 'here' : undefined
      if (where === undefined) return false
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
      if (at === null || !followAt(view.state, at, where)) return false
      event.preventDefault()
      return true
    },
  }),
  keymap.of([{ key: 'Alt-Enter', run: ({ state }) => followAt(state, state.selection.main.head, 'here') }]),
]

/** Follows the link at a position. Returns whether there is one. */
function followAt(state: EditorState, at: number, where: 'here' | 'tab'): boolean {
  const text = linkAt(state, at)
  if (text === undefined) return false
  const around = surroundingsOf(state)
  const link = sanitize(renderPiece(text.replace(/^!(?=\[\[)/, ''), around)).querySelector('a')
  const href = link?.getAttribute('href') ?? ''
  if (!link || href === '') return false
  if (href.startsWith('/v/')) around.follow(parseRoute(link), where)
  else if (href.startsWith('#'))
    around.follow({ vaultId: around.vaultId, path: around.path, heading: decoded(href.slice(1)) }, 'here')
  else window.open(link.href, '_blank', 'noopener,noreferrer')
  return true
}

function linkAt(state: EditorState, at: number): string | undefined {
  for (const side of [-1, 1] as const) {
    let node = syntaxTree(state).resolveInner(at, side)
    while (!LINKS.test(node.name) && node.parent) node = node.parent
    // The address of a link is a child node of the link.
    if (node.name === 'URL' && node.parent && LINKS.test(node.parent.name)) node = node.parent
    if (LINKS.test(node.name)) return state.sliceDoc(node.from, node.to)
  }
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
