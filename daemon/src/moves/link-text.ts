import { isMarkdownName, identityKey } from '../files/vault-path.ts'
import type { FileNames } from '../links/file-names.ts'
import { folderOf, joined, NOTE_ENDINGS, resolveTarget } from '../links/resolve-target.ts'
import { encodeAddress, pathFrom } from '../markdown/file-address.ts'
import { addressTarget, wikiTarget } from '../markdown/link-target.ts'
import type { NoteLink } from '../markdown/note-links.ts'

/** A link that must refer to the same file after a move. `was` marks paths before the move. */
type Rewriting = {
  link: Pick<NoteLink, 'kind' | 'target'>
  /** The destination as it is written in the note. */
  raw: string
  was: { note: string; file: string }
  note: string
  file: string
  /** The names of the vault after the move. */
  names: Pick<FileNames, 'named'>
}

/**
 * The destination of a link after a move, in the form in which it was written: as short as before, relative or from the
 * root, with or without the ending. Everything but the name of the file stays. Undefined if the link cannot name the
 * file. Pure.
 */
export function destinationAfterMove(rewriting: Rewriting): string | undefined {
  const { link, raw, note, file, names } = rewriting
  const isWiki = link.kind === 'wiki'
  const { start, end } = isWiki ? wikiSpan(raw) : addressSpan(raw)
  for (const target of formsOf(rewriting)) {
    const written = isWiki ? target : encodeAddress(target, /%[89a-f]/i.test(raw) ? 'ascii' : 'letters')
    const read = isWiki ? wikiTarget(written).target : addressTarget(written)?.target
    if (read !== target || (isWiki && /[[\]\n]/.test(target))) continue
    if (resolveTarget(names, { target, from: note, style: isWiki ? 'wiki' : 'address' }) === file)
      return raw.slice(0, start) + written + raw.slice(end)
  }
  return undefined
}

/** The ways to write a path, the one that is most similar to the old link first. */
function formsOf({ link: { kind, target }, was, note, file }: Rewriting): string[] {
  const names = endsLike(target, was.file) ? [file] : [withoutEnding(file), file]
  const relative = names.map((name) => pathFrom(folderOf(note), name))
  const dotted = relative.map((path) => (path.startsWith('../') ? path : `./${path}`))
  const rooted = names.map((name) => `/${name}`)
  return [...likeBefore(), ...names, ...rooted, file, `/${file}`, ...dotted, `./${pathFrom(folderOf(note), file)}`]

  function likeBefore(): string[] {
    if (/^\.\.?(?:\/|$)/.test(target))
      return target.startsWith('./') ? dotted : [...relative.filter(isUpward), ...dotted]
    if (target.startsWith('/')) return rooted
    if (isPlainAddress({ kind, target }, was.note, was.file)) return relative
    const depth = target.split('/').length
    if (depth > 1 && depth === was.file.split('/').length) return names
    return names.flatMap((name) => endingsOf(name, depth))
  }
}

const isUpward = (path: string): boolean => path.startsWith('../')

/**
 * True if a Markdown link names a file in the way that every program reads it: relative to its note, or from the root.
 */
export function isPlainAddress(
  { kind, target }: Pick<NoteLink, 'kind' | 'target'>,
  note: string,
  file: string,
): boolean {
  if (kind === 'wiki') return false
  const path = joined(target.startsWith('/') ? '' : folderOf(note), target)
  return NOTE_ENDINGS.some((ending) => identityKey(path + ending) === identityKey(file))
}

/** The ends of a path, from the last `depth` names to all of them. */
function endingsOf(path: string, depth: number): string[] {
  const segments = path.split('/')
  const forms: string[] = []
  for (let count = Math.min(depth, segments.length); count <= segments.length; count++)
    forms.push(segments.slice(-count).join('/'))
  return forms
}

/** True when a link named a file with its ending. Only the ending of a note can be left out. */
function endsLike(target: string, file: string): boolean {
  if (!isMarkdownName(file)) return true
  const ending = file.slice(file.lastIndexOf('.'))
  return identityKey(target).endsWith(identityKey(ending))
}

const withoutEnding = (path: string): string => (isMarkdownName(path) ? path.slice(0, path.lastIndexOf('.')) : path)

/** The position of the name of the file in `Name#Heading|shown`. */
function wikiSpan(raw: string): { start: number; end: number } {
  const bar = raw.indexOf('|')
  const place = bar === -1 ? raw : raw.slice(0, bar - (raw[bar - 1] === '\\' ? 1 : 0))
  const hash = place.indexOf('#')
  return trimmed(place, hash === -1 ? place.length : hash)
}

/** The position of the path in `path?query#fragment`. */
function addressSpan(raw: string): { start: number; end: number } {
  const hash = raw.indexOf('#')
  const place = hash === -1 ? raw : raw.slice(0, hash)
  const query = place.indexOf('?')
  return trimmed(place, query === -1 ? place.length : query)
}

function trimmed(text: string, length: number): { start: number; end: number } {
  const start = text.length - text.trimStart().length
  return { start, end: Math.max(start, text.slice(0, length).trimEnd().length) }
}
