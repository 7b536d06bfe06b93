import { createInTurns } from '@svc/shared/kit/in-turns.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { hashPassword, verifyPassword } from 'better-auth/crypto'

/**
 * Maximum number of passwords that are hashed at the same time. A hash takes 32 MB and, on a busy machine, most of a
 * second of one of the four threads that also read files and resolve host names. One thread stays free for that work.
 */
const AT_ONCE = 3
/** Maximum number of requests with a password in flight. With more, the last one would wait for seconds. */
const ADMITTED = 64
const RETRY_AFTER_SECONDS = 3

type Hashing = {
  hash(password: string): Promise<string>
  verify(given: { hash: string; password: string }): Promise<boolean>
}

export type Passwords = ReturnType<typeof createPasswords>

/**
 * Hashes and checks passwords, a few at once, in the order of the calls. A request must be admitted before it does
 * anything else: a mailed link, for example, must not be used up by a request that is refused.
 */
export function createPasswords({ hash, verify }: Hashing = { hash: hashPassword, verify: verifyPassword }) {
  const inTurn = createInTurns(AT_ONCE)
  let admitted = 0

  return {
    /** Runs a request that takes a password, or fails with `server_busy` when too many are in flight. */
    admit: async <T>(request: () => Promise<T>): Promise<T> => {
      if (admitted >= ADMITTED) throw fail('server_busy', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS })
      admitted += 1
      try {
        return await request()
      } finally {
        admitted -= 1
      }
    },
    hash: (password: string) => inTurn(() => hash(password)),
    verify: (given: { hash: string; password: string }) => inTurn(() => verify(given)),
  }
}
