import { isMap, isPair, isScalar, stringify } from 'yaml'
import { editProperties } from '../../src/edits/property-edit.ts'
import { findFrontmatter } from '../../src/markdown/frontmatter.ts'
import { parseLimitedYaml } from '../../src/markdown/limited-yaml.ts'
import type { FieldKind, FieldValue } from './property-fields.ts'

const LONGEST_NAME = 100

/** A person's change to the properties of a note. */
export type PropertyChange =
  { name: string; value: FieldValue } | { name: string; remove: true } | { name: string; rename: string }

/**
 * The text of a note after a change of its properties. Unchanged properties keep their bytes; impossible changes throw.
 */
export function changeProperties(text: string, change: PropertyChange): string {
  if ('rename' in change) return renameProperty(text, change)
  if ('remove' in change) return editProperties(text, [{ property: change.name, delete: true }])
  return editProperties(text, [{ property: change.name, value: change.value }])
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
