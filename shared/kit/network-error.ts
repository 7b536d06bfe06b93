// Of a name that does not resolve, of a host or network to which nothing leads, and of a connection that is refused or
// lost.
const CODES = new Set([
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])

/** True for an error with which the system answers when another host cannot be reached, or not any more. */
export const isNetworkError = (error: unknown): boolean =>
  error instanceof Error && CODES.has((error as NodeJS.ErrnoException).code ?? '')
