import { isNetworkError } from '@svc/shared/kit/network-error.ts'

// SQLSTATE classes for problems of the server rather than the statement: connection, shutdown, resources; and 25006, which
// a primary answers that has become a standby.
const STATES = /^(?:08|57P|53|25006)/
const MESSAGES =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|client has encountered/i

/** True when a statement failed because the database was away; whether it was executed is then unknown. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // A socket in the file system that is missing; a missing file is a failure of another kind.
  if (code === 'ENOENT') return syscall === 'connect'
  return STATES.test(code) || isNetworkError(error) || MESSAGES.test(error.message)
}
