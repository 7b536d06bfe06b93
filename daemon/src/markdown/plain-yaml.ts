import { trimBlanks } from './blanks.ts'

// Longer property blocks are rare. The YAML parser reads them, with its limits.
const MOST_CHARACTERS = 4096

const PROPERTY = /^([a-z][\w-]*):(?: +(\S.*))?$/i
const ITEM = /^( *)- +(\S.*)$/
const RESERVED = /^(?:null|true|false)$/i
const PLAIN = /^\p{L}[\p{L}\p{N}_./()'&+ -]*$/u
const QUOTED = /^(?:"[^"\\\p{C}\p{Zl}\p{Zp}]*"|'[^'\p{C}\p{Zl}\p{Zp}]*')$/u
const DATE = /^\d{4}-\d{2}-\d{2}$/
const NUMBER = /^(?:0|[1-9]\d{0,14})$/
const NOT_PLAIN = Symbol('not plain')

/**
 * Reads YAML of the kind that most notes have: names with words, quoted texts, numbers, dates and flat lists. Undefined
 * for everything else, which the YAML parser reads: it takes fifty times as long. Pure.
 */
export function readPlainYaml(text: string): Record<string, unknown> | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  const values: Record<string, unknown> = {}
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length === 0) return undefined

  for (let at = 0; at < lines.length;) {
    const [, name, written] = PROPERTY.exec(lines[at++]!) ?? []
    if (name === undefined || RESERVED.test(name) || Object.hasOwn(values, name)) return undefined
    let value: unknown
    if (written === undefined) {
      const items = itemsAt(lines, at)
      at += items.length
      value = items.length === 0 ? null : valuesOf(items)
    } else value = written.startsWith('[') ? listOf(trimBlanks(written)) : scalarOf(trimBlanks(written))
    if (value === NOT_PLAIN) return undefined
    values[name] = value
  }
  return values
}

/** The texts of the items of a list that begins at a line; all items have the same indentation. */
function itemsAt(lines: readonly string[], from: number): string[] {
  const items: string[] = []
  const indent = ITEM.exec(lines[from] ?? '')?.[1]
  for (let at = from; at < lines.length; at++) {
    const [, its, written] = ITEM.exec(lines[at]!) ?? []
    if (its === undefined || its !== indent) break
    items.push(trimBlanks(written!))
  }
  return items
}

function listOf(written: string): unknown {
  if (!written.endsWith(']')) return NOT_PLAIN
  const inner = trimBlanks(written.slice(1, -1))
  return inner === '' ? [] : valuesOf(inner.split(',').map(trimBlanks))
}

function valuesOf(items: readonly string[]): unknown {
  const values = items.map(scalarOf)
  return values.includes(NOT_PLAIN) ? NOT_PLAIN : values
}

function scalarOf(written: string): unknown {
  if (NUMBER.test(written)) return Number(written)
  if (DATE.test(written)) return written
  if (QUOTED.test(written)) return written.slice(1, -1)
  return PLAIN.test(written) && !RESERVED.test(written) ? written : NOT_PLAIN
}
