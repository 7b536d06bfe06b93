/** A place in a vault, as a link carries it from one site to another. */
export type NotePlace = { path?: string | undefined; heading?: string | undefined }

const MAX_LENGTH = 1024
// eslint-disable-next-line no-control-regex
const NEVER_IN_PATH = /[\x00-\x1f\x7f\\]/

/**
 * The path inside a vault that a link names; undefined for anything else. Anybody may have written the URL, so the path
 * can only be names below the vault: no host, no scheme, no way up.
 */
export function readLinkedPath(text: string | null | undefined): string | undefined {
  if (!text || text.length > MAX_LENGTH || NEVER_IN_PATH.test(text) || !text.isWellFormed()) return undefined
  const isName = (name: string) => name !== '' && name !== '.' && name !== '..'
  return text.split('/').every(isName) ? text : undefined
}

/** The heading that a link names; undefined when it names none. */
export function readLinkedHeading(text: string | null | undefined): string | undefined {
  if (!text || text.length > MAX_LENGTH || !text.isWellFormed()) return undefined
  return text
}

/** The URL of a place on its vault origin; always a path of that origin. */
export function noteAddress(vault: string, { path, heading }: NotePlace): string {
  const names = [vault, ...(path === undefined ? [] : path.split('/'))]
  const hash = heading === undefined ? '' : `#${encodeURIComponent(heading)}`
  return `/v/${names.map(encodeURIComponent).join('/')}${hash}`
}
