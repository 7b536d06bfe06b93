import { isMap, isPair, isScalar, isSeq, stringify, type Pair } from 'yaml'
import { fail } from '@svc/shared/wire/errors.ts'
import { isWithinLimits, parseLimitedYaml, type LimitedYaml } from '../markdown/limited-yaml.ts'
import { findFrontmatter } from '../markdown/frontmatter.ts'

/** Sets or removes one property. */
export type PropertyEdit = { property: string; value?: unknown; delete?: true | undefined }

/** Fails for a property that is beyond the limits. Nothing that recurses, as JSON does, may see one before. */
export function refuseLargeProperties(edits: readonly (PropertyEdit | object)[]): void {
  if (edits.some((edit) => 'property' in edit && !isWithinLimits({ [edit.property]: edit.value })))
    throw fail('invalid_request', [
      { path: 'edits', message: 'a property is too long, too deep or has too many values' },
    ])
}

/**
 * Applies property edits in order and returns the whole text; bytes of other properties and comments stay unchanged.
 */
export function editProperties(text: string, edits: readonly PropertyEdit[]): string {
  refuseLargeProperties(edits)
  const edited = edits.reduce((current, edit) => editProperty(current, edit), text)
  refuseUnlessMeant(edited, valuesAfter(propertiesOf(text), edits))
  return edited
}

/** Fails unless a text has exactly these properties: an edit of the source may reach others, or make all unreadable. */
function refuseUnlessMeant(edited: string, meant: unknown): void {
  const after = propertiesOf(edited)
  if (after.kind === 'parsed' && isSameJson(after.value ?? {}, meant)) return
  const isTooLarge = after.kind === 'refused' && after.reason !== 'invalid'
  const message = isTooLarge
    ? 'the properties of the note would be too long, too deep or too many'
    : 'the properties of this note cannot be changed one by one: edit them as text'
  throw fail('invalid_request', [{ path: 'edits', message }])
}

function propertiesOf(text: string): LimitedYaml | { kind: 'parsed'; value: undefined } {
  const block = findFrontmatter(text)
  return block ? parseLimitedYaml(text.slice(block.yamlStart, block.yamlEnd)) : { kind: 'parsed', value: undefined }
}

/** The properties that edits are meant to leave. */
function valuesAfter(before: ReturnType<typeof propertiesOf>, edits: readonly PropertyEdit[]): unknown {
  const values = new Map(Object.entries((before.kind === 'parsed' && before.value) || {}))
  for (const { property, value } of edits) {
    if (value === undefined) values.delete(property)
    else values.set(property, JSON.parse(JSON.stringify(value)))
  }
  return Object.fromEntries(values)
}

/** True for equal values of JSON, whatever the order of their names. Runs in the browser too. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const names = Object.keys(a)
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name as never], b[name as never]))
  )
}

function editProperty(text: string, edit: PropertyEdit): string {
  const eol = endsInCrlf(text) ? '\r\n' : '\n'
  const block = findFrontmatter(text)
  if (!block) {
    if (edit.delete) throw unknownProperty(edit.property)
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    return `${mark}---${eol}${render(edit.property, edit.value, eol)}---${eol}${text.slice(mark.length)}`
  }

  const yaml = text.slice(block.yamlStart, block.yamlEnd)
  const parsed = parseLimitedYaml(yaml)
  const contents = parsed.kind === 'parsed' ? parsed.document.contents : undefined
  if (contents === undefined || !(contents === null || (isMap(contents) && !contents.flow)))
    throw fail('invalid_request', [
      { path: 'edits', message: 'the properties of this note are not a YAML map: edit them as text' },
    ])

  const pair = contents?.items.find((item) => isPair(item) && keyOf(item) === edit.property)
  const changed = pair ? changePair(yaml, pair, edit, eol) : addPair(yaml, edit, eol)
  return text.slice(0, block.yamlStart) + changed + text.slice(block.yamlEnd)
}

function addPair(yaml: string, edit: PropertyEdit, eol: string): string {
  if (edit.delete) throw unknownProperty(edit.property)
  return yaml + render(edit.property, edit.value, eol)
}

function changePair(yaml: string, pair: Pair, edit: PropertyEdit, eol: string): string {
  const start = rangeOf(pair.key)![0]
  const colon = yaml.indexOf(':', rangeOf(pair.key)![1]) + 1
  const value = rangeOf(pair.value)
  // A missing value has no position of its own: use the one after the colon.
  const end = value && value[1] > colon ? value[1] : colon

  if (edit.delete) {
    const feed = yaml.indexOf('\n', Math.max(end - 1, colon - 1))
    const lineStart = yaml.lastIndexOf('\n', start) + 1
    return yaml.slice(0, lineStart) + (feed === -1 ? '' : yaml.slice(feed + 1))
  }

  // A block value ends after its line end, which stays.
  const closed = yaml.slice(start, end).endsWith('\n') ? eol : ''
  const tail = yaml.slice(end)
  const isInline = value !== undefined && value[1] > colon && !yaml.slice(colon, value[1]).includes('\n')
  if (value && closed === '' && /^[ \t]*#/.test(tail)) {
    // The comment would end up in a value of several lines. Beside an empty value, its blank is before the value.
    const gap = tail.startsWith('#') ? ' ' : ''
    return yaml.slice(0, value[0]) + (renderInline(edit.value) ?? JSON.stringify(edit.value)) + gap + tail
  }
  if (isInline && (isScalar(pair.value) || (isSeq(pair.value) && pair.value.flow))) {
    const inline = renderInline(edit.value)
    if (inline !== undefined) return yaml.slice(0, value[0]) + inline + tail
  }
  const rendered = render(edit.property, edit.value, eol).slice(0, -eol.length)
  return yaml.slice(0, start) + rendered + closed + tail
}

/** The value on one line, or undefined when it needs more. */
function renderInline(value: unknown): string | undefined {
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trimEnd()
  return text.includes('\n') ? undefined : text
}

function render(property: string, value: unknown, eol: string): string {
  return stringify({ [property]: value }, { lineWidth: 0 }).replaceAll('\n', eol)
}

const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key)

const rangeOf = (node: unknown): [number, number, number] | undefined =>
  (node as { range?: [number, number, number] } | null)?.range ?? undefined

const unknownProperty = (property: string) =>
  fail('invalid_request', [{ path: 'edits', message: `there is no property ${property}` }])

/** True when every line of a text ends in CRLF, and there is at least one. */
function endsInCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}

/** Gives new text the line ends of its note, unless it has its own. */
export function withLineEndsOf(note: string, added: string): string {
  return endsInCrlf(note) && !added.includes('\r') ? added.replaceAll('\n', '\r\n') : added
}
