import { markdown, markdownLanguage } from '@codemirror/lang-markdown'
import { languages } from '@codemirror/language-data'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { showPanel, type EditorView } from '@codemirror/view'
import { livePreview } from '../live-preview/live-preview.ts'
import { followCells } from '../tables/table-grid.ts'
import type { EditingLook } from './editing-look.ts'
import { frontMatterSyntax } from './front-matter-syntax.ts'
import { longTextSyntax } from './long-text-syntax.ts'
import { mathSyntax } from './math-syntax.ts'
import { wikiSyntax } from './wiki-syntax.ts'

// Some Markdown is read in one go, such as an HTML comment. This much of it takes a fraction of a second.
const LONGEST_READ = 500_000
// Not the same length both ways, or a key at the limit would change the page each time.
const READ_AGAIN = LONGEST_READ * 0.9

/** Of a longer note the editor reads no Markdown at all, and says so. */
const asWritten: Extension = showPanel.of(() => {
  const dom = document.createElement('p')
  dom.className = 'cm-as-written-notice'
  dom.setAttribute('role', 'note')
  dom.textContent =
    'This note is very long. Its Markdown shows as it is written here, so that typing stays fast. Read shows it by the part.'
  return { top: true, dom }
})

/** What the editor makes of the Markdown of a note: colours, and in the live look what it means. */
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
      // Outside what changes: a table that is about to go has to know where its cell stands.
      followCells,
      reading.of(length > LONGEST_READ ? asWritten : read()),
      EditorState.transactionExtender.of(({ startState, changes }) => {
        const isLong = changes.newLength > (isAsWritten(startState) ? READ_AGAIN : LONGEST_READ)
        if (isLong === isAsWritten(startState)) return null
        return { effects: reading.reconfigure(isLong ? asWritten : read()) }
      }),
    ],
    /** Shows what the Markdown means, or the Markdown alone. */
    setLook(view: EditorView, look: EditingLook): void {
      shown = look
      if (!isAsWritten(view.state)) view.dispatch({ effects: reading.reconfigure(read()) })
    },
  }
}
