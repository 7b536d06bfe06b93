import { fail } from '@svc/shared/wire/errors.ts'
import { isInRepository, parseImageReference } from '@svc/shared/wire/image-reference.ts'

/**
 * Which images may run: host and repository of this environment, whether a digest is required, and whether tags are
 * resolved to digests.
 */
export type ImageRule = {
  repository: string | undefined
  digests: 'required' | 'preferred'
  tags: 'resolved' | 'as_they_are'
}

const NAME_THE_DIGEST = 'Name the image by its digest (…@sha256:…): tags are not resolved here.'

type Settings = Pick<ImageRule, 'repository' | 'digests'> & { registry: { url: string | undefined } }

/** The rule of this environment: throws image_not_allowed for an image that may not run here. */
export function createAllowedImages({ repository, digests, registry }: Settings) {
  const tags = registry.url === 'none' ? 'as_they_are' : 'resolved'
  return (text: string): void => checkImage(text, { repository, digests, tags })
}

/** Throws image_not_allowed unless the image is in the repository of this environment. Pure. */
export function checkImage(text: string, { repository, digests, tags }: ImageRule): void {
  const image = parseImageReference(text)
  if (image === undefined || repository === undefined || !isInRepository(image, repository))
    throw fail('image_not_allowed', { reason: 'RepositoryDiffers' })
  if (digests === 'required' && tags === 'as_they_are' && image.digest === undefined)
    throw fail('image_not_allowed', { reason: 'DigestRequired' }, { message: NAME_THE_DIGEST })
}
