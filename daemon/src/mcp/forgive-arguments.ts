const NAMES: Record<string, string> = {
  vault: 'vaultId',
  vault_id: 'vaultId',
  file: 'path',
  note: 'path',
  filename: 'path',
  filepath: 'path',
  file_path: 'path',
  from: 'path',
  to: 'newPath',
  new_path: 'newPath',
  destination: 'newPath',
  text: 'content',
  query: 'q',
  old_baseline: 'baseline',
  on_stale: 'onStale',
  dry_run: 'dryRun',
  max_chars: 'maxChars',
}
const EDIT_NAMES: Record<string, string> = {
  old_text: 'oldText',
  old_string: 'oldText',
  oldString: 'oldText',
  find: 'oldText',
  search: 'oldText',
  new_text: 'newText',
  new_string: 'newText',
  newString: 'newText',
  replace: 'newText',
  replacement: 'newText',
}
const EDIT_KEYS = new Set([
  'oldText',
  'newText',
  'before',
  'after',
  'occurrence',
  'section',
  'op',
  'property',
  'value',
  'delete',
])

/**
 * Accepts names and shapes that models use by mistake: other parameter names, a list sent as JSON text, one edit
 * without its list. Nothing is guessed where the right name is there. Pure.
 */
export function forgiveArguments(args: unknown): unknown {
  if (!isObject(args)) return args ?? {}
  const named = rename(args, NAMES)
  if (typeof named['edits'] === 'string') named['edits'] = parseJson(named['edits'])
  if (named['edits'] === undefined) gatherEdit(named)
  if (Array.isArray(named['edits']))
    named['edits'] = named['edits'].map((edit) => (isObject(edit) ? rename(edit, EDIT_NAMES) : edit))
  return named
}

function gatherEdit(named: Record<string, unknown>): void {
  const renamed = rename(named, EDIT_NAMES)
  if (!('oldText' in renamed || 'section' in renamed || 'property' in renamed) || !('baseline' in renamed)) return
  const edit: Record<string, unknown> = {}
  for (const key of Object.keys(renamed)) if (EDIT_KEYS.has(key)) edit[key] = renamed[key]
  // `text` of a section edit was taken for the content of a note.
  if ('section' in edit && 'content' in renamed) edit['text'] = renamed['content']
  for (const key of [...Object.keys(edit), ...Object.keys(EDIT_NAMES), 'content']) delete named[key]
  named['edits'] = [edit]
}

function rename(from: Record<string, unknown>, names: Record<string, string>): Record<string, unknown> {
  const to: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(from)) {
    const name = Object.hasOwn(names, key) && !Object.hasOwn(from, names[key]!) ? names[key]! : key
    to[name] = value
  }
  return to
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
