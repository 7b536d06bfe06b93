import { isInRepository, parseImageReference } from '@svc/shared/wire/image-reference.ts'
import type { ImageVerdict } from '../../managed-daemon/observed.ts'

export type ImagePolicy = {
  /** Host and repository, compared by equality. */
  repository: string
  /** `preferred` accepts an exact tag when no registry can resolve it to a digest. */
  digests: 'required' | 'preferred'
}

/** Whether an image reference may run here, judged by its text. */
export function createAllowedImage({ repository, digests }: ImagePolicy) {
  return (image: string): ImageVerdict => {
    const reference = parseImageReference(image)
    if (reference === undefined) return refused(`${image} is no image with an exact tag or digest`)
    if (!isInRepository(reference, repository)) return refused(`${image} is not in ${repository}`)
    if (digests === 'required' && reference.digest === undefined) return refused(`${image} names no digest`)
    return { state: 'allowed' }
  }
}

const refused = (message: string): ImageVerdict => ({ state: 'refused', reason: 'ImageNotAllowed', message })
