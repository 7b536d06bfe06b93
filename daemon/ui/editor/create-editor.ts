import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { markdown, markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { yamlFrontmatter } from '@codemirror/lang-yaml'
import { indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, Transaction } from '@codemirror/state'
import { drawSelection, dropCursor, EditorView, highlightSpecialChars, keymap } from '@codemirror/view'
import type { LinkIndex } from '../links/link-index.ts'
import { editorLook } from './editor-look.ts'
import { markdownKeys } from './markdown-keys.ts'
import { takeFiles, type StoreFile } from './take-files.ts'
import { wikiSyntax } from './wiki-syntax.ts'
import { wikiCompletion } from './wiki-completion.ts'

export type SourceEditor = ReturnType<typeof createEditor>

type Setting = {
  host: HTMLElement
  text: string
  surroundings: () => { index: LinkIndex; path: string }
  onChange: (text: string) => void
  onTopLine: (line: number) => void
  storeFile: StoreFile
}

// Lines that were jumped to stand this far below the edge, and are what is being read.
const READING_EDGE = 40

const outside = Annotation.define<true>()

/**
 * The Markdown editor. It lives in a shadow root, where CodeMirror uses constructed style sheets: in the document
 * itself it would make style elements, which the page's CSP does not let through.
 */
export function createEditor({ host, text, surroundings, onChange, onTopLine, storeFile }: Setting) {
  const root = host.attachShadow({ mode: 'open' })
  const writable = new Compartment()
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        highlightSpecialChars(),
        drawSelection(),
        dropCursor(),
        closeBrackets(),
        highlightSelectionMatches(),
        search({ top: true }),
        autocompletion({ override: [wikiCompletion(surroundings)], maxRenderedOptions: 60 }),
        indentUnit.of('  '),
        EditorState.tabSize.of(4),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Note text',
          'aria-description': 'Tab indents. Press Escape, then Tab, to leave the editor.',
          spellcheck: 'true',
          autocapitalize: 'sentences',
        }),
        yamlFrontmatter({ content: markdown({ base: markdownLanguage, extensions: wikiSyntax }) }),
        editorLook,
        takeFiles(storeFile),
        keymap.of([
          ...markdownKeys,
          ...closeBracketsKeymap,
          ...markdownKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          ...completionKeymap,
          indentWithTab,
        ]),
        writable.of([]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(outside)))
            onChange(update.state.doc.toString())
        }),
        EditorView.domEventHandlers({
          scroll: () => {
            onTopLine(topLine())
          },
        }),
      ],
    }),
  })

  const topLine = () => {
    const top = view.scrollDOM.getBoundingClientRect().top - view.documentTop
    return view.state.doc.lineAt(view.lineBlockAtHeight(Math.max(0, top + READING_EDGE)).from).number
  }

  return {
    /** Shows a text that was changed elsewhere. Cursor and undo history stay the person's own. */
    setText: (next: string) => {
      const now = view.state.doc.toString()
      if (now === next) return
      let from = 0
      while (from < now.length && from < next.length && now[from] === next[from]) from++
      let same = 0
      const most = Math.min(now.length, next.length) - from
      while (same < most && now[now.length - 1 - same] === next[next.length - 1 - same]) same++
      view.dispatch({
        changes: { from, to: now.length - same, insert: next.slice(from, next.length - same) },
        annotations: [outside.of(true), Transaction.addToHistory.of(false), Transaction.remote.of(true)],
      })
    },
    setReadOnly: (readOnly: EditorMode) =>
      view.dispatch({
        effects: writable.reconfigure(
          readOnly === 'read-only' ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
        ),
      }),
    goToLine: (line: number, where: 'start' | 'center') => {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: where, yMargin: 24 }),
      })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

/** Whether the text can be changed. */
export type EditorMode = 'writable' | 'read-only'
