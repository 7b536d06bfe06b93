import { isNoteName } from '../links/link-index.ts'

/**
 * The path for what a person typed, or the reason why there is none. The daemon checks it again with stricter rules.
 */
export function notePath(typed: string): { path: string } | { problem: string } {
  const segments = typed
    .normalize('NFC')
    .split('/')
    .map((segment) => segment.trim())
    .filter((segment, at, all) => segment !== '' || at === all.length - 1)
  const name = segments.at(-1) ?? ''
  if (name === '') return { problem: 'Type a name.' }
  if (segments.some((segment) => segment === '.' || segment === '..')) return { problem: 'A folder cannot be . or ..' }
  // eslint-disable-next-line no-control-regex
  if (segments.some((segment) => /[\u0000-\u001F\u007F\\:*?"<>|]/.test(segment)))
    return { problem: 'A name cannot have any of \\ : * ? " < > |' }
  if (segments.some((segment) => segment.startsWith('.'))) return { problem: 'A name cannot begin with a dot.' }
  return { path: [...segments.slice(0, -1), isNoteName(name) ? name : `${name}.md`].join('/') }
}
