import { refuseReadableSecrets } from './readable-secrets.ts'

/** How a process logs an error that nobody foresaw. The client got `internal`, or its connection was closed. */
const BUG = /failed by a bug|failed unexpectedly/

/**
 * Fails if the log of a process holds a secret in plain text, or says that something failed by a bug: a test may look
 * at the answers of others, and some answers nobody reads.
 */
export function checkLog(place: string, text: string): void {
  refuseReadableSecrets(place, text)
  const bug = text.split('\n').find((line) => BUG.test(line))
  if (bug !== undefined) throw new Error(`${place} tells of a bug: ${bug}`)
}
