import { ConfigurationError } from '@svc/shared/kit/env.ts'

type Deps = {
  /** Migrations that the database lacks. */
  pending: readonly string[]
  /** Opens every stored key; false when one does not open. */
  openKeys(): Promise<boolean>
  /** Makes the keys that are not there yet: without one, the next start could not tell a foreign secret. */
  makeKeys(): Promise<unknown>
  endorseAuditKey(): Promise<void>
}

/**
 * Compares AUTH_SECRET with what the database holds, before anything is served: with a foreign secret everything would
 * look healthy, and no entry could ever be signed. On a new database there is nothing to compare yet.
 */
export async function adoptSecret({ pending, openKeys, makeKeys, endorseAuditKey }: Deps): Promise<void> {
  if (!pending.includes('0003-relay') && !(await openKeys()))
    throw new ConfigurationError([
      {
        path: 'AUTH_SECRET',
        message:
          'does not open the signing keys in this database. Set the value that sealed them, as AUTH_SECRET_PREVIOUS if AUTH_SECRET is a new one',
      },
    ])
  if (pending.length > 0) return
  await makeKeys()
  await endorseAuditKey()
}
