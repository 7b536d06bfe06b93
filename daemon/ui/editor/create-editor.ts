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
import { lineDirections } from './line-directions.ts'
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
  /** The editor failed and may no longer show the live text. It must be created again. */
  onTornApart: () => void
}

// A line that the editor scrolls to ends up this far below the upper edge, in pixels, and counts as the line being
// read.
const READING_EDGE = 40

/**
 * The Markdown editor. It lives in a shadow root: there CodeMirror uses constructed style sheets. In the document
 * itself it would create style elements, which the CSP of the page forbids.
 */
export function createEditor({ host, link, memory, surroundings, look, ...on }: Setting) {
  const { onTopLine, storeFile, onTornApart } = on
  const root = host.attachShadow({ mode: 'open' })
  const doc = link.text()!
  // Keep the undo history of an earlier visit to this note, unless the text was changed elsewhere since.
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
        lineDirections,
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
        takeFiles({ link, store: storeFile }),
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
  // The insertion is one undo step of its own.
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
    /**
     * Puts the cursor on the line that was being read, but never into the front matter, which the reading view does not
     * show.
     */
    startAt: (line: number) => goToLine(Math.max(line, firstTextLine(view.state.doc)), 'start'),
    /** Scrolls to a line and leaves the selection as it is. */
    showLine: (line: number) => {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
      view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 24 }) })
    },
    /** Switches between the rendered Markdown and the source. */
    setLook: (look: EditingLook) => syntax.setLook(view, look),
    /** Called when the note was moved, or the files of the vault have changed. */
    refresh: (now: Pick<Surroundings, 'path' | 'index'>) => view.dispatch({ effects: surroundingsChanged.of(now) }),
    /** Whether the cursor was restored from an earlier visit. */
    isContinued: kept !== undefined,
    focus: () => view.focus(),
    destroy: () => {
      memory.insert = undefined
      leave()
      view.destroy()
    },
  }
}
