import { isMap, isPair, isScalar, stringify } from 'yaml'
import { editProperties } from '../../src/edits/property-edit.ts'
import { findFrontmatter } from '../../src/markdown/frontmatter.ts'
import { parseLimitedYaml } from '../../src/markdown/limited-yaml.ts'
import { propertyFields, type FieldKind, type FieldValue } from './property-fields.ts'

const LONGEST_NAME = 100

/**
 * A person's change to one item of a list. The text that the person sees may be older than the one that is changed: the
 * other items stay. `nth` tells equal items apart.
 */
export type ListChange = { add: string } | { take: string; nth: number }

/** A person's change to the properties of a note. `first` is the value of a new property. */
export type PropertyChange = { name: string } & (
  { value: FieldValue } | { first: FieldValue } | { remove: true } | { rename: string } | ListChange
)

/**
 * The text of a note after a change of its properties. Unchanged properties keep their bytes; impossible changes throw.
 */
export function changeProperties(text: string, change: PropertyChange): string {
  if ('rename' in change) return renameProperty(text, change)
  if ('remove' in change) return editProperties(text, [{ property: change.name, delete: true }])
  if ('value' in change) return editProperties(text, [{ property: change.name, value: change.value }])
  if ('first' in change) {
    if (hasProperty(text, change.name)) throw new Error('there is such a property')
    return editProperties(text, [{ property: change.name, value: change.first }])
  }
  const before = itemsOf(text, change.name)
  const items = itemsAfter(before, change)
  return items === before ? text : editProperties(text, [{ property: change.name, value: items }])
}

/** The items after a change; the same array when nothing changes. */
function itemsAfter(items: readonly string[], change: ListChange): readonly string[] {
  if ('add' in change) return items.includes(change.add) ? items : [...items, change.add]
  const at = items[change.nth] === change.take ? change.nth : items.indexOf(change.take)
  return at === -1 ? items : items.toSpliced(at, 1)
}

function fieldsOf(text: string) {
  const read = propertyFields(text)
  return read.kind === 'fields' ? read.fields : []
}

const hasProperty = (text: string, name: string): boolean => fieldsOf(text).some((field) => field.name === name)

/** The items of a list; none if there is no such property or it has no value. Throws if it has another kind. */
function itemsOf(text: string, name: string): readonly string[] {
  const field = fieldsOf(text).find((one) => one.name === name)
  if (!field || (field.kind === 'text' && field.value === '')) return []
  if (field.kind !== 'list' && field.kind !== 'tags') throw new Error('the property is no list')
  return field.value as readonly string[]
}

/** Why a property cannot have this name; undefined when it can. */
export function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (name.trim() === '') return 'A property needs a name.'
  if (name.length > LONGEST_NAME || name.includes('\n'))
    return `A name has at most ${LONGEST_NAME} characters, on one line.`
  return others.includes(name) ? 'There is a property with this name already.' : undefined
}

/** The text of a field as a value of its kind; undefined if it is not one. */
export function typedValue(kind: FieldKind, typed: string): FieldValue | undefined {
  if (kind !== 'number' || typed.trim() === '') return typed.replaceAll('\n', ' ')
  const value = Number(typed)
  return Number.isFinite(value) ? value : undefined
}

/** The initial value of a new property of a kind. */
export function firstValue(kind: FieldKind, today: string): FieldValue {
  if (kind === 'checkbox') return false
  if (kind === 'number') return 0
  if (kind === 'date') return today
  if (kind === 'time') return `${today}T00:00`
  return kind === 'text' ? '' : []
}

function renameProperty(text: string, { name, rename }: { name: string; rename: string }): string {
  if (hasProperty(text, rename)) throw new Error('there is such a property')
  const block = findFrontmatter(text)
  if (!block) return text
  const parsed = parseLimitedYaml(text.slice(block.yamlStart, block.yamlEnd))
  const contents = parsed.kind === 'parsed' ? parsed.document.contents : undefined
  if (!isMap(contents)) return text
  const pair = contents.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === name)
  const range = isScalar(pair?.key) ? pair.key.range : undefined
  if (!range) return text
  const written = stringify({ [rename]: 0 }).replace(/: 0\n$/, '')
  return text.slice(0, block.yamlStart + range[0]) + written + text.slice(block.yamlStart + range[1])
}
