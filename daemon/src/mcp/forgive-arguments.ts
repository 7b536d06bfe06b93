// Names that models use by mistake, in plain form, and the names that they mean.
const NAMES: Record<string, string> = {
  vault: 'vaultId',
  file: 'path',
  note: 'path',
  filename: 'path',
  filepath: 'path',
  notepath: 'path',
  oldpath: 'path',
  source: 'path',
  from: 'path',
  to: 'newPath',
  destination: 'newPath',
  target: 'newPath',
  text: 'content',
  body: 'content',
  query: 'q',
  search: 'q',
  directory: 'folder',
  dir: 'folder',
  path: 'folder',
  heading: 'section',
  oldbaseline: 'baseline',
  base64: 'data',
}
const EDIT_NAMES: Record<string, string> = {
  oldstring: 'oldText',
  find: 'oldText',
  search: 'oldText',
  newstring: 'newText',
  replace: 'newText',
  replacement: 'newText',
  heading: 'section',
  content: 'text',
}
const EDIT_KEYS = [
  'oldText',
  'newText',
  'before',
  'after',
  'occurrence',
  'section',
  'op',
  'text',
  'property',
  'value',
  'delete',
]
const NUMBERS = new Set(['limit', 'maxChars', 'occurrence'])
const BOOLEANS = new Set(['dryRun', 'permanent', 'mentions', 'delete'])
const TEXTS = new Set(['cursor', 'lines'])

type Arguments = Record<string, unknown>

/**
 * Accepts common mistakes of models in the parameters of a tool: other names and spellings, null for an omitted value,
 * numbers as text, a list as JSON text, one edit without its list. Nothing is guessed if the right name is present, and
 * an argument that means none of the parameters stays as it is. Pure.
 */
export function forgiveArguments(args: unknown, parameters: readonly string[]): unknown {
  if (!isObject(args)) return args ?? {}
  const named = rename(withoutNulls(args), parameters, NAMES)
  if (parameters.includes('edits')) gatherEdits(named, parameters)
  return mapValues(named, plainValue)
}

function gatherEdits(named: Arguments, parameters: readonly string[]): void {
  if (typeof named['edits'] === 'string') named['edits'] = parseJson(named['edits'])
  if (named['edits'] === undefined) named['edits'] = looseEdit(named, parameters)
  if (isObject(named['edits'])) named['edits'] = [named['edits']]
  if (Array.isArray(named['edits']))
    named['edits'] = named['edits'].map((edit) => (isObject(edit) ? forgiveEdit(edit) : edit))
  else if (named['edits'] === undefined) delete named['edits']
}

/** The fields of one edit among the arguments, taken out of them. */
function looseEdit(named: Arguments, parameters: readonly string[]): Arguments | undefined {
  const keys = Object.keys(named).filter(
    (key) => !parameters.includes(key) && nameOf(key, EDIT_KEYS, EDIT_NAMES) !== undefined,
  )
  if (keys.length === 0) return undefined
  const edit = Object.fromEntries(keys.map((key) => [key, named[key]]))
  for (const key of keys) delete named[key]
  return edit
}

function forgiveEdit(edit: Arguments): Arguments {
  const named = mapValues(rename(edit, EDIT_KEYS, EDIT_NAMES), plainValue)
  // A property may be set to null; in any other edit null means an omitted field.
  const isSet = typeof named['property'] === 'string' && named['delete'] !== true
  const kept = Object.entries(named).filter(([key, value]) => value !== null || (key === 'value' && isSet))
  return Object.fromEntries(kept)
}

function rename(from: Arguments, parameters: readonly string[], names: Record<string, string>): Arguments {
  const taken = new Set(Object.keys(from))
  const entries = Object.entries(from).map(([key, value]) => {
    const name = nameOf(key, parameters, names)
    if (name === undefined || taken.has(name)) return [key, value]
    taken.add(name)
    return [name, value]
  })
  return Object.fromEntries(entries) as Arguments
}

/** The parameter that a name means; undefined for one that means none. */
function nameOf(key: string, parameters: readonly string[], names: Record<string, string>): string | undefined {
  if (parameters.includes(key)) return key
  const plain = plainName(key)
  const other = Object.hasOwn(names, plain) ? names[plain]! : undefined
  return (
    parameters.find((parameter) => plainName(parameter) === plain) ??
    (other !== undefined && parameters.includes(other) ? other : undefined)
  )
}

const plainName = (name: string): string => name.replaceAll(/[_\s-]/g, '').toLowerCase()

function plainValue(key: string, value: unknown): unknown {
  if (NUMBERS.has(key) && typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value)
  if (BOOLEANS.has(key) && (value === 'true' || value === 'false')) return value === 'true'
  if (TEXTS.has(key) && typeof value === 'number') return String(value)
  return value
}

const mapValues = (from: Arguments, map: (key: string, value: unknown) => unknown): Arguments =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(key, value)]))

const withoutNulls = (from: Arguments): Arguments =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== null))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
