import type { EditorView } from '@codemirror/view'

type Look = Parameters<typeof EditorView.theme>[0]

const ink = (nth: number): Look => ({ [`.cm-ink-${nth}`]: { '--their-ink': `var(--ink-${nth})` } })

/**
 * The style of other people and agents in the text: solid for people, dotted and hatched for agents, names in the
 * margin.
 */
export const othersInText: Look = {
  ...ink(1),
  ...ink(2),
  ...ink(3),
  ...ink(4),
  ...ink(5),
  '.cm-their-selection': { backgroundColor: 'color-mix(in oklab, var(--their-ink) 18%, transparent)' },
  '.cm-their-caret': {
    position: 'relative',
    borderLeft: '2px solid var(--their-ink)',
    marginLeft: '-1px',
    marginRight: '-1px',
    // Each move creates the widget again and so restarts the animation; the caret of an inactive person disappears.
    animation: 'cm-caret-rests 15s steps(1) forwards',
  },
  // In a table the whole cell is marked, because a drawn table has no exact position for a caret.
  '.cm-their-cell': {
    position: 'absolute',
    inset: '0',
    zIndex: '1',
    backgroundColor: 'color-mix(in oklab, var(--their-ink) 12%, transparent)',
    pointerEvents: 'none',
    animation: 'cm-caret-rests 15s steps(1) forwards',
  },
  '.cm-their-cell-head': { boxShadow: 'inset 0 0 0 2px var(--their-ink)' },
  '.cm-their-cell i': {
    position: 'absolute',
    top: '-1px',
    left: '-1px',
    width: '8px',
    height: '8px',
    borderRadius: '4px',
    backgroundColor: 'var(--their-ink)',
  },
  ':is(td, th):hover > .cm-their-cell > .cm-their-name': { visibility: 'visible' },
  '.cm-their-caret i': {
    position: 'absolute',
    top: '-5px',
    left: '-5px',
    width: '8px',
    height: '8px',
    borderRadius: '4px',
    backgroundColor: 'var(--their-ink)',
  },
  '.cm-their-name': {
    position: 'absolute',
    bottom: '100%',
    left: '-2px',
    zIndex: '5',
    padding: '0 6px',
    borderRadius: '3px',
    backgroundColor: 'var(--their-ink)',
    color: 'var(--on-blue)',
    font: '600 var(--t-1) / 18px var(--font-ui)',
    whiteSpace: 'nowrap',
    pointerEvents: 'none',
    // Names stand in the margin and at the head of the note; here they show only on hover.
    visibility: 'hidden',
  },
  '.cm-their-caret:hover .cm-their-name': { visibility: 'visible' },
  '@keyframes cm-caret-rests': { to: { visibility: 'hidden' } },
  '.cm-theirs': { backgroundColor: 'var(--blue-wash)', textDecoration: 'underline solid var(--blue) 1.5px' },
  '.cm-theirs.cm-by-outside, .cm-theirs.cm-by-system': {
    backgroundColor: 'var(--warn-wash)',
    textDecoration: 'underline solid var(--warn) 1.5px',
  },
  '.cm-theirs.cm-by-agent': {
    backgroundColor: 'var(--pencil-wash)',
    textDecoration: 'underline dotted var(--pencil) 1.5px',
  },
  '.cm-who': {
    position: 'absolute',
    left: '0',
    boxSizing: 'border-box',
    width: 'var(--margin-w)',
    padding: '0 16px 0 8px',
    overflow: 'hidden',
    color: 'var(--ink)',
    font: '600 var(--t-2) / var(--read-line) var(--font-ui)',
    textAlign: 'end',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-who.cm-by-agent': { color: 'var(--pencil)' },
  '@media (forced-colors: active)': {
    '.cm-their-cell-head': { border: '2px solid CanvasText' },
    '.cm-their-selection': { outline: '1px solid CanvasText' },
    '.cm-selectionMatch, .cm-searchMatch': { outline: '1px dotted CanvasText' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': { outline: '2px solid Highlight', outlineOffset: '-2px' },
  },
  '@media (max-width: 640px)': { '.cm-who': { display: 'none' } },
}
