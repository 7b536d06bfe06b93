import { isFailure } from '@svc/shared/wire/errors.ts'
import { ParsingStopped } from '../note-jobs/parsing-pool.ts'

/** Why a revert leaves something as it is, in words for people and agents. */
export const leftReasons = {
  others: 'others have changed it since it was created',
  moved: 'others have moved it since',
  changed: 'it has changed since it was moved',
  gone: 'it is not there any more',
  erased: 'it was deleted for good',
  inFolder: 'it is in the trash with its folder, which can be restored',
  replaced: 'its earlier content was not kept',
  inUse: 'it stays beside the one that comes back, since there is something else in it',
  taken: 'its path is taken',
  unusable: 'its path cannot be used any more',
  unread: 'it cannot be read at the moment',
  purged: 'a note of this path was deleted for good',
  large: 'its revisions are too large to compare',
  much: 'too much text would change at once: revert again for the rest',
} as const

/** Why a revert leaves one note whose planning failed like this. Throws a failure that is not about this note alone. */
export function reasonOf(error: unknown): string {
  if (error instanceof ParsingStopped || isFailure(error, 'payload_too_large')) return leftReasons.large
  // Other programs create files with names that nothing can address.
  if (isFailure(error, 'invalid_request')) return leftReasons.unusable
  if (isFailure(error, 'file_access_denied') || isFailure(error, 'disk_away')) return leftReasons.unread
  throw error
}
