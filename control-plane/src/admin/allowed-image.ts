import { fail } from '@svc/shared/wire/errors.ts'
import { isInRepository, parseImageReference } from '@svc/shared/wire/image-reference.ts'

/** Which images may run: host and repository of this environment, and whether a digest must name them. */
export type ImageRule = { repository: string | undefined; digests: 'required' | 'preferred' }

/** Throws image_not_allowed unless the image lies in the repository of this environment. Pure. */
export function checkImage(text: string, { repository, digests }: ImageRule): void {
  const image = parseImageReference(text)
  if (image === undefined || repository === undefined || !isInRepository(image, repository))
    throw fail('image_not_allowed', { reason: 'RepositoryDiffers' })
  if (digests === 'required' && image.digest === undefined)
    throw fail('image_not_allowed', { reason: 'DigestRequired' })
}
