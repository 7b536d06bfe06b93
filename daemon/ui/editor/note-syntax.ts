import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { languages } from '@codemirror/language-data'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { showPanel, type EditorView } from '@codemirror/view'
import { livePreview } from '../live-preview/live-preview.ts'
import { followCells } from '../tables/followed-cell.ts'
import type { EditingLook } from './editing-look.ts'
import { frontMatterSyntax } from './front-matter-syntax.ts'
import { longTextSyntax } from './long-text-syntax.ts'
import { mathSyntax } from './math-syntax.ts'
import { wikiSyntax } from './wiki-syntax.ts'

// Some Markdown, such as an HTML comment, is parsed in one go. Parsing this many characters takes a fraction of a
// second.
const LONGEST_READ = 500_000
// Lower than the other limit: otherwise every key at the limit would switch the look of the page.
const READ_AGAIN = LONGEST_READ * 0.9

/** For longer notes the editor parses no Markdown, and says so. */
const asWritten: Extension = showPanel.of(() => {
  const dom = document.createElement('p')
  dom.className = 'cm-as-written-notice'
  dom.setAttribute('role', 'note')
  dom.textContent =
    'This note is very long. Its Markdown shows as it is written here, so that typing stays fast. Read shows it by the part.'
  return { top: true, dom }
})

/** How the editor shows the Markdown of a note: with colours, and in the live look rendered in place. */
export function noteSyntax(length: number, look: EditingLook) {
  const reading = new Compartment()
  let shown = look
  const language = markdown({
    base: markdownLanguage,
    codeLanguages: languages,
    extensions: [longTextSyntax, frontMatterSyntax, wikiSyntax, mathSyntax],
  })
  const read = (): Extension => [language, shown === 'live' ? livePreview : []]
  const isAsWritten = (state: EditorState) => reading.get(state) === asWritten

  return {
    extension: [
      // Outside the compartment: when a table is about to disappear, the position of its edited cell is still needed.
      followCells,
      reading.of(length > LONGEST_READ ? asWritten : read()),
      EditorState.transactionExtender.of(({ startState, changes }) => {
        const isLong = changes.newLength > (isAsWritten(startState) ? READ_AGAIN : LONGEST_READ)
        if (isLong === isAsWritten(startState)) return null
        return { effects: reading.reconfigure(isLong ? asWritten : read()) }
      }),
    ],
    /** Switches between the rendered Markdown and the source. */
    setLook(view: EditorView, look: EditingLook): void {
      shown = look
      if (!isAsWritten(view.state)) view.dispatch({ effects: reading.reconfigure(read()) })
    },
  }
}
