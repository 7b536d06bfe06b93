import type { MarkdownIt, Token } from 'markdown-it'
import { escapeHtml } from './safe-html.ts'
import { placeOf } from './place.ts'

const TASK = /^\[([^\n])\](?=\s)/

/** `- [ ] tasks`, as check boxes with the number of their line in the note. */
export function taskLists(md: MarkdownIt) {
  md.core.ruler.after('inline', 'task_lists', ({ tokens, Token: TokenClass, env }) => {
    tokens.forEach((token, at) => {
      const inline = tokens[at + 2]
      if (token.type !== 'list_item_open' || inline?.type !== 'inline') return
      const mark = TASK.exec(inline.content)
      const first = inline.children?.[0]
      if (!mark || first?.type !== 'text' || !first.content.startsWith(mark[0])) return

      first.content = first.content.slice(mark[0].length)
      const box = new TokenClass('task_box', 'input', 0)
      const line = (inline.map?.[0] ?? 0) + placeOf(env).firstLine
      box.meta = { line, done: mark[1] !== ' ', label: inline.content.slice(mark[0].length).trim() }
      inline.children!.unshift(box)
      token.attrJoin('class', mark[1] === ' ' ? 'task' : 'task done')
    })
  })
  md.renderer.rules.task_box = (tokens, at) => box(tokens[at]!)
}

function box({ meta }: Token): string {
  const { line, done, label } = meta as { line: number; done: boolean; label: string }
  return `<input type="checkbox" class="task-box" data-task="${line}" aria-label="${escapeHtml(label)}"${done ? ' checked' : ''}>`
}
