// SQLSTATE classes for problems of the server rather than the statement: connection, shutdown, resources.
const STATES = /^(?:08|57P|53)/
const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
const MESSAGES =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|client has encountered/i

/** True when a statement failed because the database was away; whether it was executed is then unknown. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return STATES.test(code) || SYSTEM.has(code) || MESSAGES.test(error.message)
}
