import { z } from 'zod'

/** The parts of a container image reference. `repository` has no host; our references have a tag, a digest, or both. */
export type ImageReference = { host: string; repository: string; tag?: string; digest?: string }

/** The registry host of images that the embedded platform builds itself: `local/svcd@sha256:…`. */
export const LOCAL_HOST = 'local'

// Grammar of the distribution specification, with a required host: `svcd:1` would silently mean a public registry.
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
const IPV6 = /^\[[0-9a-f:]+\]$/
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
const MAX_LENGTH = 512

/** Parses `host[:port]/repo[:tag][@sha256:…]`; undefined for any other text, and for the tag `latest`. */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [named, digest, ...rest] = text.split('@')
  if (named === undefined || rest.length > 0) return undefined
  if (digest !== undefined && !DIGEST.test(digest)) return undefined

  const slash = named.indexOf('/')
  const host = named.slice(0, Math.max(slash, 0)).toLowerCase()
  if (!isHost(host)) return undefined

  const [repository = '', tag, ...more] = named.slice(slash + 1).split(':')
  if (more.length > 0 || !repository.split('/').every((part) => COMPONENT.test(part))) return undefined
  if (tag !== undefined && !TAG.test(tag)) return undefined
  // A reference without both would mean `latest`, which may be another image tomorrow.
  if (tag === 'latest' || (tag === undefined && digest === undefined)) return undefined
  if (host === LOCAL_HOST && digest === undefined) return undefined

  return { host, repository, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) }
}

function isHost(host: string): boolean {
  const [, name = host, port] = /^(.+?)(?::([0-9]{1,5}))?$/.exec(host) ?? []
  if (port !== undefined && Number(port) > 65_535) return false
  if (IPV6.test(name)) return true
  if (name === 'localhost' || host === LOCAL_HOST) return true
  return DOMAIN.test(name) && (port !== undefined || name.includes('.'))
}

/** The reference as text, its host in lower case. */
export function formatImageReference({ host, repository, tag, digest }: ImageReference): string {
  return `${host}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`
}

/** Host and repository alone, as an allowed repository is configured: `registry.example.net/team/svcd`. */
function imageRepository({ host, repository }: Pick<ImageReference, 'host' | 'repository'>): string {
  return `${host}/${repository}`
}

/** True when the image is in the allowed repository: host and repository are equal, never a prefix. */
export function isInRepository(image: ImageReference, allowed: string): boolean {
  return imageRepository(image) === allowed.toLowerCase()
}

/**
 * True when `observed` is the `wanted` image: same repository, and the same digest if both name one, otherwise the same
 * tag. A tag that was resolved in between still matches `repo:tag@digest`.
 */
export function isSameImage(wanted: string, observed: string): boolean {
  if (wanted === observed) return true
  const [a, b] = [parseImageReference(wanted), parseImageReference(observed)]
  if (a === undefined || b === undefined || imageRepository(a) !== imageRepository(b)) return false
  if (a.digest !== undefined && b.digest !== undefined) return a.digest === b.digest
  return a.tag !== undefined && a.tag === b.tag
}

/** An image reference in a request: a text of the grammar, never `latest`. */
export const ImageReferenceText = z
  .string()
  .max(MAX_LENGTH)
  .refine((text) => parseImageReference(text) !== undefined, {
    message: 'must be host[:port]/repository with an exact tag (not latest) or @sha256 digest',
  })
