import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// Colours and fonts are the page's custom properties, which reach into the editor's shadow root.
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'transparent', fontSize: 'var(--note-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-text)', lineHeight: '1.65', overflow: 'auto' },
  '.cm-content': {
    maxWidth: 'var(--measure)',
    width: '100%',
    margin: '0 auto',
    padding: '1.5rem var(--gutter) 40vh',
    caretColor: 'var(--accent)',
    boxSizing: 'border-box',
  },
  '.cm-line': { padding: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-selectionMatch': { backgroundColor: 'var(--mark-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)', color: 'var(--mark-text)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontFamily: 'var(--font-ui)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.75rem', fontSize: '0.85rem' },
  '.cm-textfield': {
    backgroundColor: 'var(--page)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '0.25rem 0.5rem',
    fontSize: '0.85rem',
  },
  '.cm-button': {
    background: 'var(--page)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '0.25rem 0.6rem',
    fontSize: '0.8rem',
  },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text)', fontSize: '1.2rem', right: '0.6rem', top: '0.4rem' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-ui)',
    fontSize: '0.92rem',
    maxHeight: '18rem',
    maxWidth: '34rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.3rem 0.7rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal', marginLeft: '0.75rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionIcon': { display: 'none' },
})

const highlight = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: '700', fontSize: '1.5em', lineHeight: '1.3' },
  { tag: tags.heading2, fontWeight: '700', fontSize: '1.28em', lineHeight: '1.35' },
  { tag: tags.heading3, fontWeight: '700', fontSize: '1.13em' },
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--link)' },
  { tag: tags.quote, color: 'var(--quiet)' },
  { tag: tags.labelName, color: 'var(--quiet)', fontFamily: 'var(--font-code)', fontSize: '0.9em' },
  { tag: tags.special(tags.content), backgroundColor: 'var(--mark)', color: 'var(--mark-text)' },
  { tag: tags.monospace, fontFamily: 'var(--font-code)', fontSize: '0.9em' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], color: 'var(--quiet)' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName, tags.attributeName], color: 'var(--code-name)' },
  { tag: [tags.keyword, tags.tagName, tags.bool, tags.null], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.attributeValue, tags.number], color: 'var(--code-string)' },
  { tag: tags.comment, color: 'var(--quiet)' },
])

/** How the editor looks, in the page's own colours. */
export const editorLook = [theme, syntaxHighlighting(highlight)]
