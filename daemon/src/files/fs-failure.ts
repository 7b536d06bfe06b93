import { fail, isFailure } from '@svc/shared/wire/errors.ts'

/** The system's code of a failed file operation. */
export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}

/** Converts errors of a volume, of permissions or of an impossible name to failures of the catalogue. */
export function toFileFailure(error: unknown): unknown {
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return fail('storage_full', undefined, { cause: error })
    case 'EROFS':
      return fail('storage_read_only', undefined, { cause: error })
    case 'EIO':
    case 'ESTALE':
      return fail('storage_failed', undefined, { cause: error })
    case 'EXDEV': // moved from one disk to another
    case 'EBUSY': // a disk is mounted on it
      return fail('other_disk', undefined, { cause: error })
    case 'EMFILE':
    case 'ENFILE':
      return fail('too_many_open_files', undefined, { cause: error })
    case 'EACCES':
    case 'EPERM':
      return fail('file_access_denied', undefined, { cause: error })
    case 'ENAMETOOLONG':
      return fail('invalid_request', [{ path: 'path', message: 'is too long for this file system' }], { cause: error })
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return fail('not_found', undefined, { cause: error })
    default:
      return error
  }
}

/** Runs a file operation and converts its errors to failures of the catalogue, where there is one. */
export async function withFileFailures<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toFileFailure(error)
  }
}

/** Returns false for the failure of a folder that is gone, or is no folder any more; throws any other failure. */
export function noFolder(error: unknown): false {
  if (isFailure(error, 'not_found') || isFailure(error, 'invalid_request')) return false
  throw error
}

/** Turns the failure of a missing file or folder into undefined; throws any other failure. */
export function ignoreMissing(error: unknown): undefined {
  if (!isFailure(error, 'not_found')) throw error
}
