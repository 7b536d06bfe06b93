import { isAlias, isMap, isPair, isScalar, isSeq, type Pair, type Scalar } from 'yaml'
import { findFrontmatter } from '../../src/markdown/frontmatter.ts'
import { parseLimitedYaml } from '../../src/markdown/limited-yaml.ts'
import { isTags } from '../tags/tag-query.ts'

export type FieldKind = 'text' | 'number' | 'checkbox' | 'date' | 'time' | 'list' | 'tags'
export type FieldValue = string | number | boolean | readonly string[]

/** One property. `fixed` means that no field can represent its whole value, so it is shown as source. */
export type Field =
  | { name: string; kind: FieldKind; value: FieldValue; line: number }
  | { name: string; kind: 'fixed'; source: string; line: number }

/** The properties of a note as fields; `unreadable` if its front matter is not a list of names and values. */
export type Fields = { kind: 'fields'; fields: readonly Field[] } | { kind: 'unreadable'; source: string; line: number }

const NO_FIELDS: Fields = { kind: 'fields', fields: [] }

/** Reads the front matter of a note as fields. A value keeps the kind in which it is written. */
export function propertyFields(text: string): Fields {
  const block = findFrontmatter(text)
  if (!block) return NO_FIELDS
  const yaml = text.slice(block.yamlStart, block.yamlEnd)
  const parsed = parseLimitedYaml(yaml)
  const contents = parsed.kind === 'parsed' ? parsed.document.contents : undefined
  if (contents === null || yaml.trim() === '') return NO_FIELDS
  if (!isMap(contents) || contents.flow) return { kind: 'unreadable', source: yaml, line: 2 }
  const pairs = contents.items.filter((item) => isPair(item))
  const names = pairs.map(nameOf)
  // With two equal names, one would be edited and the other one read.
  if (new Set(names).size < names.length) return { kind: 'unreadable', source: yaml, line: 2 }
  return { kind: 'fields', fields: pairs.map((pair) => fieldOf(pair, yaml)) }
}

/** The name of a property as written. */
const nameOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key)

function fieldOf(pair: Pair, yaml: string): Field {
  const name = nameOf(pair)
  const start = (pair.key as Scalar | null)?.range?.[0] ?? 0
  const end = (pair.value as Scalar | null)?.range?.[1] ?? start
  const source = yaml.slice(start, Math.max(end, start)).trimEnd()
  const line = yaml.slice(0, start).split('\n').length + 1
  const value = plainValue(pair.value, source)
  if (value === undefined) return { name, kind: 'fixed', source, line }
  return { name, kind: kindOf(name, value), value, line }
}

/** The value, unless writing it back would lose something: an anchor, a comment, a block of lines or a nested value. */
function plainValue(node: unknown, source: string): FieldValue | undefined {
  if (node === null || node === undefined) return ''
  if (isAlias(node)) return undefined
  if (isScalar(node)) {
    if (node.anchor || node.tag || source.includes('\n')) return undefined
    const { value } = node
    if (typeof value === 'bigint' || (typeof value === 'number' && String(value) !== node.source)) return undefined
    return value === null ? '' : isFieldValue(value) ? value : undefined
  }
  if (!isSeq(node) || node.anchor || node.tag || hasComment(node)) return undefined
  const items = node.items.map((item) =>
    isScalar(item) && !item.anchor && !item.tag && !hasComment(item) && typeof item.value === 'string'
      ? item.value
      : undefined,
  )
  return items.some((item) => item === undefined || item.includes('\n')) ? undefined : (items as string[])
}

const isFieldValue = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

const hasComment = ({ comment, commentBefore }: { comment?: string | null; commentBefore?: string | null }): boolean =>
  Boolean(comment) || Boolean(commentBefore)

function kindOf(name: string, value: FieldValue): FieldKind {
  if (typeof value === 'boolean') return 'checkbox'
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'string') return isTags(name) ? 'tags' : 'list'
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return 'date'
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(value) ? 'time' : 'text'
}
