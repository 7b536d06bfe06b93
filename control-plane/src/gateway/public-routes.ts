import { fail } from '@svc/shared/wire/errors.ts'
import { UNATTENDED } from '@svc/shared/wire/daemon/live-address.ts'
import { PERSON_PATH } from '@svc/shared/wire/person.api.ts'

/** What the gateway needs to know about a public request; the gateway answers `person` itself. */
export type PublicRoute =
  | { kind: 'ui' }
  | { kind: 'person' }
  | { kind: 'vault' | 'events'; vaultId: string }
  | { kind: 'live'; vaultId: string; isUnattended: boolean }

const READ = ['GET', 'HEAD']
const PERSON_METHODS = [...READ, 'PATCH']
/** `flush` is one fixed segment: the other operations of a vault are not public. */
type Rest = 'none' | 'optional' | 'required' | 'flush'
const vaultRoutes = new Map<string, { methods: readonly string[]; rest: Rest }>(
  Object.entries({
    '': { methods: READ, rest: 'none' },
    tree: { methods: READ, rest: 'none' },
    notes: { methods: [...READ, 'PUT', 'PATCH', 'DELETE'], rest: 'required' },
    move: { methods: ['POST'], rest: 'none' },
    folders: { methods: ['POST', 'DELETE'], rest: 'required' },
    attachments: { methods: [...READ, 'PUT', 'DELETE'], rest: 'optional' },
    search: { methods: READ, rest: 'none' },
    history: { methods: [...READ, 'POST'], rest: 'required' },
    authors: { methods: READ, rest: 'required' },
    readings: { methods: ['PUT'], rest: 'optional' },
    news: { methods: READ, rest: 'none' },
    revert: { methods: ['POST'], rest: 'none' },
    links: { methods: READ, rest: 'required' },
    report: { methods: READ, rest: 'none' },
    tags: { methods: READ, rest: 'none' },
    graph: { methods: READ, rest: 'none' },
    deleted: { methods: READ, rest: 'none' },
    trash: { methods: [...READ, 'POST', 'DELETE'], rest: 'optional' },
    events: { methods: ['GET'], rest: 'none' },
    export: { methods: READ, rest: 'none' },
    audit: { methods: READ, rest: 'none' },
    ops: { methods: ['POST'], rest: 'flush' },
  }),
)
/** The paths of the daemon's UI: its pages, its hashed assets and a few other files. */
const uiFolders = new Set(['v', 'assets'])
const UI_FILE = /^(?:|index\.html|[\w-]+\.(?:svg|png|ico|webmanifest|txt))$/

const MAX_REMEMBERED = 2_000
const MAX_REMEMBERED_LENGTH = 256

const refuse = (message: string) => fail('invalid_request', [{ path: 'path', message }])

/**
 * The route of a request target, decided on the form that the daemon will decode; `not_found` for everything that is
 * not on the list. Ambiguous targets are refused: nothing is normalized, so both sides see the same bytes.
 */
export function publicRoute(method: string, target: string): PublicRoute {
  if (!target.startsWith('/')) throw refuse('must begin with /')
  if (!/^[\x21\x23-\x5b\x5d\x5f\x61-\x7e]*$/.test(target)) throw refuse('has characters that must be encoded')
  const [path = ''] = target.split('?', 1)
  if (path.includes('#') || target.includes('#')) throw refuse('has a fragment')
  const segments = path.slice(1).split('/').map(decodeSegment)
  const [first = '', second = '', ...rest] = segments

  if (target === PERSON_PATH) {
    if (!PERSON_METHODS.includes(method)) throw fail('method_not_allowed')
    return { kind: 'person' }
  }
  if (first === 'api') return apiRoute(method, target.slice(path.length + 1), [second, ...rest])
  const isUi = segments.length === 1 ? UI_FILE.test(first) : uiFolders.has(first)
  if (!isUi) throw fail('not_found')
  if (!READ.includes(method)) throw fail('method_not_allowed')
  return { kind: 'ui' }
}

/** `publicRoute` with a cache of its latest decisions, because pages request the same URLs again and again. */
export function rememberRoutes(): typeof publicRoute {
  const known = new Map<string, PublicRoute>()
  return (method, target) => {
    const key = `${method} ${target}`
    const found = known.get(key)
    if (found !== undefined) return found
    const route = publicRoute(method, target)
    if (key.length > MAX_REMEMBERED_LENGTH) return route
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(key, route)
    return route
  }
}

function apiRoute(method: string, query: string, [second, vaultId = '', name = '', ...rest]: string[]): PublicRoute {
  if (second !== 'vaults' || vaultId === '' || vaultId.includes('/')) throw fail('not_found')
  if (name === 'live' && rest.length > 0) return { kind: 'live', vaultId, isUnattended: query === UNATTENDED }

  const known = vaultRoutes.get(name)
  if (known === undefined) throw fail('not_found')
  if (known.rest === 'none' && rest.length > 0) throw fail('not_found')
  if (known.rest === 'required' && rest.length === 0) throw fail('not_found')
  if (known.rest === 'flush' && rest.join('/') !== 'flush') throw fail('not_found')
  if (!known.methods.includes(method)) throw fail('method_not_allowed')
  return { kind: name === 'events' ? 'events' : 'vault', vaultId }
}

function decodeSegment(segment: string, index: number, all: string[]): string {
  if (segment === '' && index < all.length - 1) throw refuse('has an empty segment')
  const decoded = segment.includes('%') ? unescapeSegment(segment) : segment
  if (decoded.includes('.') && decoded.split('/').some((part) => part === '.' || part === '..'))
    throw refuse('has a dot segment')
  return decoded
}

function unescapeSegment(segment: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(segment)
  } catch {
    throw refuse('has a malformed escape')
  }
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f\\]/.test(decoded)) throw refuse('has a character that no path has')
  return decoded
}
