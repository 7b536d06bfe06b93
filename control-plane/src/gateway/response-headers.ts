import { fail } from '@svc/shared/wire/errors.ts'
import { vaultPagePolicy } from '@svc/shared/wire/vault-page-policy.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'

// What a daemon may say to a browser; docs/protocol/relay.md gives the reasons.
const passed = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'content-disposition',
  'accept-ranges',
  'etag',
  'last-modified',
  'retry-after',
  'vary',
])
const MAX_HEADER_BYTES = 16 * 1024
const ASSET = /^\/assets\/([\w.-]+)\.(?:js|css|woff2|svg|png|wasm)$/
const HASH_LENGTH = 8
const SAFE_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

type DaemonResponse = {
  status: number
  /** Name, value, name, value, … as the daemon sent them. */
  rawHeaders: readonly string[]
  /** Requested path and query. */
  target: string
  secure: boolean
}

/**
 * The headers that the browser gets from a daemon's response. Throws `daemon_unreachable` for a response that cannot be
 * passed on.
 */
export function responseHeaders({
  status,
  rawHeaders,
  target,
  secure,
}: DaemonResponse): Record<string, string | string[]> {
  if (status < 200 || status > 599 || status === 401 || status === 407) throw fail('daemon_unreachable', { status })

  const headers: Record<string, string | string[]> = originHeaders({ secure })
  const policies = [vaultPagePolicy]
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    const value = rawHeaders[i + 1]!
    bytes += name.length + value.length + 4
    if (bytes > MAX_HEADER_BYTES) throw fail('daemon_unreachable', { reason: 'headers_too_large' })

    const wanted = passed.has(name) || name === 'location' || name === 'content-security-policy'
    if (!wanted || !SAFE_VALUE.test(value)) continue
    if (name === 'content-security-policy') policies.push(...addedPolicy(value))
    else if (name === 'location') {
      if (isOwnPath(value)) once(headers, name, value)
    } else once(headers, name, value)
  }

  if (policies.length > 1) headers['content-security-policy'] = policies
  if (status >= 300 && status < 400 && status !== 304 && headers.location === undefined)
    throw fail('daemon_unreachable', { reason: 'redirect' })
  if (status === 200 && isHashedAsset(target)) headers['cache-control'] = 'private, max-age=31536000, immutable'
  return headers
}

function once(headers: Record<string, string | string[]>, name: string, value: string): void {
  if (headers[name] !== undefined) throw fail('daemon_unreachable', { reason: 'doubled_header', name })
  headers[name] = value
}

/** A path of this origin: one leading slash, and nothing that a browser would read as another host. */
export function isOwnPath(value: string): boolean {
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)
}

/** A daemon's policy can only forbid more. Reporting is removed, because it would tell others what people read. */
function addedPolicy(value: string): string[] {
  const directives = value
    .split(/[;,]/)
    .map((directive) => directive.trim())
    .filter((directive) => /^[a-z-]+( [\x21-\x7e ]*)?$/i.test(directive) && !/^report/i.test(directive))
  return directives.length > 0 ? [directives.join('; ')] : []
}

/** True for a file whose name ends in a hash of its content: `name-Ab12_3-x.js`. */
function isHashedAsset(target: string): boolean {
  if (!target.startsWith('/assets/')) return false
  const [path = ''] = target.split('?', 1)
  const name = ASSET.exec(path)?.[1] ?? ''
  const dash = name.indexOf('-', Math.max(1, name.lastIndexOf('.') + 1))
  return dash !== -1 && name.length - dash > HASH_LENGTH
}
