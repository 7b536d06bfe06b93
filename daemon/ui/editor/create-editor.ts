import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentWithTab,
  isolateHistory,
} from '@codemirror/commands'
import { markdownKeymap } from '@codemirror/lang-markdown'
import { indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, dropCursor, EditorView, highlightSpecialChars, keymap } from '@codemirror/view'
import { noteCompletion } from '../completion/note-completion.ts'
import { placeCompletion } from '../completion/place-completion.ts'
import { tagCompletion } from '../completion/tag-completion.ts'
import { followLinks } from '../live-preview/link-clicks.ts'
import { surroundings as around, surroundingsChanged, type Surroundings } from '../live-preview/surroundings.ts'
import type { LiveLink } from '../live/live-link.ts'
import type { EditorMemory } from '../saving/note-session.ts'
import type { EditingLook } from './editing-look.ts'
import { editorLook } from './editor-look.ts'
import { adoptSheets } from './editor-sheets.ts'
import { firstTextLine } from './front-matter-syntax.ts'
import { liveBinding } from './live-binding.ts'
import { drawGapsAnew } from './long-line-gaps.ts'
import { markdownKeys } from './markdown-keys.ts'
import { noteSyntax } from './note-syntax.ts'
import { remoteCarets } from './remote-carets.ts'
import { remoteMarks } from './remote-marks.ts'
import { storableInput } from './storable-input.ts'
import { takeFiles, type StoreFile } from './take-files.ts'

export type SourceEditor = ReturnType<typeof createEditor>

type Setting = {
  host: HTMLElement
  /** The live text of the note. */
  link: LiveLink
  memory: EditorMemory
  surroundings: () => Surroundings
  look: EditingLook
  onTopLine: (line: number) => void
  storeFile: StoreFile
  /** The editor failed and shows something else than the live text: it has to be made anew. */
  onTornApart: () => void
}

// The distance below the edge of a line that the editor jumps to. That line counts as the one being read.
const READING_EDGE = 40

/**
 * The Markdown editor. It lives in a shadow root, where CodeMirror uses constructed style sheets: in the document
 * itself it would make style elements, which the page's CSP does not let through.
 */
export function createEditor({ host, link, memory, surroundings, look, ...on }: Setting) {
  const { onTopLine, storeFile, onTornApart } = on
  const root = host.attachShadow({ mode: 'open' })
  const doc = link.text()!
  // The undo history survives leaving the note.
  const before = memory.state?.doc.eq(doc) ? memory.state : undefined
  const kept = memory.state?.selection.main
  const binding = liveBinding({ link, memory, onTornApart })
  const syntax = noteSyntax(doc.length, look)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc,
      ...(kept && { selection: { anchor: Math.min(kept.anchor, doc.length), head: Math.min(kept.head, doc.length) } }),
      extensions: [
        before ? historyField.init(() => before.field(historyField)) : [],
        history(),
        highlightSpecialChars(),
        drawSelection(),
        dropCursor(),
        closeBrackets(),
        highlightSelectionMatches(),
        search({ top: true }),
        autocompletion({
          override: [noteCompletion, placeCompletion, tagCompletion].map((source) => source(surroundings)),
          maxRenderedOptions: 60,
        }),
        indentUnit.of('  '),
        EditorState.tabSize.of(4),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Note text',
          'aria-description': 'Tab indents. Press Escape, then Tab, to leave the editor.',
          spellcheck: 'true',
          autocapitalize: 'sentences',
        }),
        syntax.extension,
        editorLook,
        around.of(surroundings),
        followLinks,
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
        storableInput,
        remoteMarks,
        remoteCarets,
        binding.sends,
        EditorView.domEventHandlers({
          scroll: () => {
            onTopLine(topLine())
          },
        }),
      ],
    }),
  })

  adoptSheets(root)
  drawGapsAnew(view)

  const topLine = () => {
    const top = view.scrollDOM.getBoundingClientRect().top - view.documentTop
    return view.state.doc.lineAt(view.lineBlockAtHeight(Math.max(0, top + READING_EDGE)).from).number
  }

  const leave = binding.follow(view)
  // One step of undo by itself.
  memory.insert = (text) => {
    view.dispatch(view.state.replaceSelection(text), {
      userEvent: 'input.paste',
      annotations: isolateHistory.of('full'),
      scrollIntoView: true,
    })
    view.focus()
  }

  const goToLine = (line: number, where: 'start' | 'center') => {
    const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
    view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: where, yMargin: 24 }),
    })
  }

  return {
    goToLine,
    /** Puts the cursor where somebody was reading: never into the front matter, which the reading view does not show. */
    startAt: (line: number) => goToLine(Math.max(line, firstTextLine(view.state.doc)), 'start'),
    /** Scrolls there; the selection stays. */
    showLine: (line: number) => {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
      view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 24 }) })
    },
    /** Shows what the Markdown means, or the Markdown alone. */
    setLook: (look: EditingLook) => syntax.setLook(view, look),
    /** Called when the note was moved, or the files of the vault have changed. */
    refresh: (now: Pick<Surroundings, 'path' | 'index'>) => view.dispatch({ effects: surroundingsChanged.of(now) }),
    /** Whether the cursor is where it was. */
    isContinued: kept !== undefined,
    focus: () => view.focus(),
    destroy: () => {
      memory.insert = undefined
      leave()
      view.destroy()
    },
  }
}
