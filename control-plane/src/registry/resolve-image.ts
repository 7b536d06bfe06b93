import { readFile } from 'node:fs/promises'
import type { Log } from '@svc/shared/kit/log.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { formatImageReference, LOCAL_HOST, parseImageReference } from '@svc/shared/wire/image-reference.ts'
import { findDigest } from './find-digest.ts'
import { readCredentials } from './read-credentials.ts'
import { createRegistryHttp } from './registry-http.ts'

/** Where tags are resolved, and with which credentials. */
export type RegistrySettings = {
  /** Origin of the registry, unless it is the image's own host over https; `none`: tags are not resolved. */
  url: string | 'none' | undefined
  authFile: string | undefined
  caFile: string | undefined
}

type Deps = { registry: RegistrySettings; digests: 'required' | 'preferred'; log: Log; withinMs?: number }

/** The image by its digest. Throws a failure of the catalogue that says what to do. */
export type ResolveImage = (image: string) => Promise<string>

// Shorter than the time that a request of a system admin waits.
const WITHIN_MS = 15_000

/**
 * Resolves tags to the digests that they name now, so that the record names exactly what runs. A reference by digest is
 * returned as it is, without a request. Where digests are only preferred, an unreachable registry is no failure: the
 * tag itself is used.
 */
export function createResolveImage({ registry, digests, log, withinMs = WITHIN_MS }: Deps): ResolveImage {
  const resolve = async (image: string): Promise<string> => {
    const reference = parseImageReference(image)
    if (reference === undefined) throw fail('image_not_allowed', { reason: 'NoReference' })
    const { host, repository, tag, digest } = reference
    if (digest !== undefined || tag === undefined || host === LOCAL_HOST) return image
    if (registry.url === 'none') throw fail('registry_refused', { reason: 'TagsNotResolved' })

    const { credentials, ca } = await readFiles(registry, host)
    const http = createRegistryHttp({ ca, withinMs })
    try {
      const origin = registry.url ?? `https://${host}`
      const found = await findDigest({ http, registry: origin, repository, tag, credentials })
      return formatImageReference({ ...reference, digest: found })
    } catch (error) {
      if (isFailure(error)) throw error
      // DNS, connection, untrusted certificate, or timeout.
      throw fail('registry_unavailable', { reason: 'NotReached', registry: host }, { cause: error })
    } finally {
      await http.close()
    }
  }

  return async (image) => {
    try {
      return await resolve(image)
    } catch (error) {
      if (digests === 'required' || isFailure(error, 'image_not_found') || !isFailure(error)) throw error
      log.warn({ err: error, image }, 'a tag was not resolved; it is used as it is')
      return image
    }
  }
}

// Read for each use: mounted secrets change.
async function readFiles({ authFile, caFile }: RegistrySettings, host: string) {
  try {
    const credentials = authFile === undefined ? undefined : await readCredentials(authFile, host)
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8')
    return { credentials, ca }
  } catch (error) {
    throw fail('registry_refused', { reason: 'AccessNotReadable' }, { cause: error })
  }
}
