import type { Edit } from '@svc/shared/wire/daemon/note-edit.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { findAnchor, foldedVersions, type FoldedVersions, type Matched } from './anchors.ts'
import { withLineEndsOf, editProperties, type PropertyEdit } from './property-edit.ts'
import { nearestLines } from './nearest-lines.ts'
import { outlineOf, type OutlineHeading } from '../markdown/outline.ts'
import { findSection, type Section } from './sections.ts'

/** One replacement in a text, as offsets into it. */
export type Splice = { start: number; end: number; text: string }

/** The result of a list of edits on one text. `matched` says how the place of each edit was found. */
export type EditPlan = { splices: Splice[]; matched: (Matched | 'section' | 'property')[] }

type TextEdit = Extract<Edit, { oldText: string }>
type SectionEdit = Extract<Edit, { section: string }>

/** What all edits of one text share. */
type EditedNote = { text: string; folded: FoldedVersions; outline: readonly OutlineHeading[] }

/** Finds the place of every edit in the same text, or fails with `match_count`; edits that overlap are refused. */
export function planEdits(text: string, edits: readonly Edit[]): EditPlan {
  const note: EditedNote = {
    text,
    folded: foldedVersions(text),
    outline: edits.some((edit) => 'section' in edit) ? outlineOf(text) : [],
  }
  const placed = edits.map((edit, index) => {
    if ('oldText' in edit) return planText(note, edit, index)
    if ('section' in edit) return planSection(note, edit, index)
    return { splices: [], matched: 'property' as const }
  })
  const properties = edits.filter((edit): edit is PropertyEdit => 'property' in edit)
  const splices = [...planProperties(text, properties), ...placed.flatMap(({ splices }) => splices)]
  return { splices: inOrder(splices), matched: placed.map(({ matched }) => matched) }
}

/** The text with all splices applied. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: added } of splices) {
    parts.push(text.slice(at, start), added)
    at = end
  }
  return parts.join('') + text.slice(at)
}

function planText({ text, folded }: EditedNote, edit: TextEdit, index: number) {
  if (edit.oldText.trim() === '')
    throw fail('invalid_request', [{ path: `edits.${index}.oldText`, message: 'contains only blanks' }])
  const found = findAnchor(text, edit, folded)
  if (found.kind === 'not_one') {
    const nearest = found.count === 0 ? nearestLines(text, edit.oldText) : undefined
    throw fail('match_count', { edit: index, expected: 1, count: found.count, candidates: found.candidates, nearest })
  }
  return { splices: [{ ...found.passage, text: withLineEndsOf(text, edit.newText) }], matched: found.matched }
}

function planSection({ text, outline }: EditedNote, edit: SectionEdit, index: number) {
  const found = findSection(text, edit, outline)
  if (found.kind === 'not_one')
    throw fail('match_count', {
      edit: index,
      expected: 1,
      count: found.count,
      candidates: found.candidates,
      next: 'Take section from a candidate, or add occurrence; then call again.',
    })
  const added = withLineEndsOf(text, edit.text)
  return { splices: [sectionSplice({ text, section: found.section, op: edit.op, added })], matched: 'section' as const }
}

type SectionChange = { text: string; section: Section; op: SectionEdit['op']; added: string }

/** `replace` includes the sub-sections; `append` inserts before them. Added text is on separate lines. */
function sectionSplice({ text, section: { heading, body, whole }, op, added }: SectionChange): Splice {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const closed = added.endsWith('\n') ? added : added + eol
  const isOpen = (at: number) => at > 0 && text[at - 1] !== '\n'
  const insert = (at: number, lines: string): Splice => ({ start: at, end: at, text: (isOpen(at) ? eol : '') + lines })

  switch (op) {
    case 'insert_before':
      return insert(whole.start, closed)
    case 'insert_after':
      return insert(whole.end, closed)
    case 'prepend':
      return insert(body.start, closed)
    case 'append':
      if (body.start === body.end) return insert(heading.end, closed)
      return { start: body.end, end: body.end, text: eol + withoutLastLineEnd(added) }
    case 'replace': {
      const old = text.slice(body.start, whole.end).trimEnd()
      if (old === '') return insert(heading.end, closed)
      return { start: body.start, end: body.start + old.length, text: withoutLastLineEnd(added) }
    }
  }
}

const withoutLastLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

/** All property edits as one splice of the smallest range that they change. */
function planProperties(text: string, edits: readonly PropertyEdit[]): Splice[] {
  if (edits.length === 0) return []
  const after = editProperties(text, edits)
  if (after === text) return []
  let start = 0
  while (start < text.length && start < after.length && text[start] === after[start]) start++
  let tail = 0
  const most = Math.min(text.length, after.length) - start
  while (tail < most && text[text.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return [{ start, end: text.length - tail, text: after.slice(start, after.length - tail) }]
}

function inOrder(splices: readonly Splice[]): Splice[] {
  const sorted = splices.toSorted((a, b) => a.start - b.start || a.end - b.end)
  for (const [index, splice] of sorted.entries()) {
    const next = sorted[index + 1]
    if (next && next.start < splice.end)
      throw fail('invalid_request', [{ path: 'edits', message: 'two edits overlap' }])
  }
  return sorted
}
