import { fail } from '@svc/shared/wire/errors.ts'

export { identityKey } from './path-twins.ts'

/** A checked vault-relative POSIX path. Created once from the decoded request; nothing normalizes it afterwards. */
export type VaultPath = string & { readonly __vaultPath: true }

const MAX_PATH = 4096
// A new path needs room above its own: in the trash, in a backup and in a restored home, it lies deeper.
const MAX_NEW_PATH_BYTES = 2048
const MAX_NAME_BYTES = 255
const DOS_NAMES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

/** Why a path is invalid for any use, or undefined. Hidden names are never reachable, including .svc and .git. */
export function pathProblem(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.length > MAX_PATH) return `is longer than ${MAX_PATH} characters`
  if (!text.isWellFormed()) return 'is not well-formed Unicode'
  if (/[\p{Cc}\\]/u.test(text)) return 'has a control character or a backslash'
  if (/%(?:2e|2f|5c|00)/i.test(text)) return 'is encoded twice'
  for (const segment of text.split('/')) {
    if (segment === '') return 'has an empty segment'
    if (segment.startsWith('.')) return 'has a segment that begins with a dot'
    if (Buffer.byteLength(segment) > MAX_NAME_BYTES) return `has a name longer than ${MAX_NAME_BYTES} bytes`
  }
  return undefined
}

/** Why a path is invalid for a new file, beyond `pathProblem`. */
export function newNameProblem(text: string): string | undefined {
  const lengthProblem = newLengthProblem(text)
  if (lengthProblem !== undefined) return lengthProblem
  for (const segment of text.split('/')) {
    if (segment.includes(':')) return 'has a colon'
    if (/[. ]$/.test(segment) || segment.startsWith(' '))
      return 'has a name that begins with a blank or ends with a blank or a dot'
    if (DOS_NAMES.test(segment)) return 'has a name that some systems reserve'
    if (/[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(segment)) return 'has an invisible character'
  }
  return undefined
}

/** Checks a path for reading; throws `invalid_request`. */
export function parseVaultPath(text: string): VaultPath {
  const problem = pathProblem(text)
  if (problem !== undefined) throw fail('invalid_request', [{ path: 'path', message: problem }])
  return text as VaultPath
}

/** Checks a path for a new file and returns its name in normal form C; throws `invalid_request`. */
export function parseNewPath(text: string): VaultPath {
  const path = parseVaultPath(text.isWellFormed() ? text.normalize('NFC') : text)
  const problem = newNameProblem(path)
  if (problem !== undefined) throw fail('invalid_request', [{ path: 'path', message: problem }])
  return path
}

/** Why a path is too long for a new file, or undefined. Only files that other programs made have longer ones. */
export const newLengthProblem = (path: string): string | undefined =>
  Buffer.byteLength(path) > MAX_NEW_PATH_BYTES ? `is longer than ${MAX_NEW_PATH_BYTES} bytes` : undefined

/** True for names of Markdown files. Whether such a file is a note depends on its bytes. */
export const isMarkdownName = (path: string): boolean => /\.(?:md|markdown)$/i.test(path)

/** True for names that a listing shows. */
export const isVisibleName = (name: string): boolean => !name.startsWith('.')

/** A path as folder segments and the name in it. */
export function splitPath(path: string): { folders: string[]; name: string } {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  return { folders: segments, name }
}
