import { fail, isFailure, type ServiceError } from '@svc/shared/wire/errors.ts'
import { GitMissing } from './git/git-process.ts'

type Lack = { isUnavailable: boolean; cause: unknown }

/** The failure of a request that needs every change, where some are not in the history. `cause` is why, if known. */
export function incompleteHistory({ isUnavailable, cause }: Lack): ServiceError {
  const because = (code: 'not_found' | 'storage_full' | 'server_busy', message: string) =>
    fail(code, undefined, { message, cause })
  if (cause instanceof GitMissing)
    return because('not_found', 'This vault has no history, because git is not installed on its host.')
  if (isUnavailable) return because('not_found', 'The history of this vault cannot be opened on its host.')
  if (isFailure(cause, 'storage_full'))
    return because(
      'storage_full',
      'The volume has no room for the history of the latest changes. Free some space first.',
    )
  return because('server_busy', 'The history does not have the latest changes yet. Wait a minute and retry.')
}
