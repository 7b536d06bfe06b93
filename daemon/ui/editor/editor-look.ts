import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { othersInText } from './others-look.ts'

// Colours and fonts are the page's custom properties, which reach into the editor's shadow root.
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'transparent', fontSize: 'var(--read)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-text)', lineHeight: 'var(--read-line)', overflow: 'auto' },
  '.cm-content': {
    // Content that cannot be wrapped is scrolled or cut off by itself, so it does not make the text wider than the
    // screen.
    minWidth: '0',
    maxWidth: 'calc(var(--margin-w) + var(--indent) + var(--measure) + 24px)',
    padding: '20px 24px 40vh calc(var(--margin-w) + var(--indent))',
    caretColor: 'var(--blue)',
    boxSizing: 'border-box',
    fontVariantNumeric: 'oldstyle-nums',
  },
  '.cm-line': { padding: '0' },
  ...othersInText,
  '.cm-cursor': { borderLeftColor: 'var(--blue)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--select)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-selectionMatch': { backgroundColor: 'var(--mark)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)', color: 'var(--ink)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--blue)' },
  '.cm-panels': { backgroundColor: 'var(--desk)', color: 'var(--ink)', fontFamily: 'var(--font-ui)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--hair)' },
  '.cm-as-written-notice': { margin: '0', padding: '8px 16px', fontSize: 'var(--t-2)', lineHeight: '1.4' },
  '.cm-panel.cm-search': { padding: '0.5rem 2rem 0.5rem 0.75rem', fontSize: '0.85rem' },
  '.cm-textfield': {
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
    borderRadius: '5px',
    padding: '0.25rem 0.5rem',
    fontSize: '0.85rem',
  },
  '.cm-button': {
    background: 'var(--paper)',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
    borderRadius: '5px',
    padding: '0.25rem 0.6rem',
    fontSize: '0.8rem',
  },
  '.cm-panel.cm-search [name=close]': { color: 'var(--ink)', fontSize: '1.2rem', right: '0.6rem', top: '0.4rem' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible': { outline: '2px solid var(--blue)', outlineOffset: '1px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--hair)',
    borderRadius: '5px',
    boxShadow: 'var(--shadow-menu)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-ui)',
    fontSize: '0.92rem',
    maxHeight: '18rem',
    maxWidth: '34rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.3rem 0.7rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--blue-wash)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--ink-quiet)', fontStyle: 'normal', marginLeft: '0.75rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--blue)', fontWeight: '600' },
  '.cm-completionIcon': { display: 'none' },
})

const highlight = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: '580', fontSize: '1.889em', lineHeight: '1.15' },
  { tag: tags.heading2, fontWeight: '600', fontSize: '1.278em' },
  { tag: tags.heading3, fontWeight: '600' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--blue)' },
  { tag: tags.quote, color: 'var(--ink-quiet)' },
  { tag: tags.labelName, color: 'var(--ink-quiet)', fontFamily: 'var(--font-code)', fontSize: '0.9em' },
  { tag: tags.special(tags.content), backgroundColor: 'var(--mark)', color: 'var(--ink)' },
  { tag: tags.monospace, fontFamily: 'var(--font-code)', fontSize: '0.9em' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], color: 'var(--ink-quiet)' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName, tags.attributeName], color: 'var(--ink-4)' },
  { tag: [tags.keyword, tags.tagName, tags.bool, tags.null], color: 'var(--ink-3)' },
  { tag: [tags.string, tags.attributeValue, tags.number], color: 'var(--ink-2)' },
  { tag: tags.comment, color: 'var(--ink-quiet)' },
])

/** How the editor looks, in the page's own colours. */
export const editorLook = [theme, syntaxHighlighting(highlight)]
