import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'

/** `schema_pending`: the rest has to be done once the schema is there. */
export type Adoption = 'done' | 'schema_pending'

type Deps = {
  /** Migrations that the database lacks. */
  pending: readonly string[]
  /** Opens every stored key; false when one cannot be opened. */
  openKeys(): Promise<boolean>
  /** Creates the keys that are missing, so that the next start can recognize a wrong secret. */
  makeKeys(): Promise<unknown>
  endorseAuditKey(): Promise<void>
}

/**
 * Checks AUTH_SECRET against the database before anything is served. With a wrong secret everything would look healthy,
 * but no entry could be signed. A new database has nothing to compare yet.
 */
export async function adoptSecret({ pending, openKeys, makeKeys, endorseAuditKey }: Deps): Promise<Adoption> {
  if (!pending.includes('0003-relay') && !(await openKeys()))
    throw new ConfigurationError([
      {
        path: 'AUTH_SECRET',
        message:
          'does not open the signing keys in this database. Set the value that sealed them, as AUTH_SECRET_PREVIOUS if AUTH_SECRET is a new one',
      },
    ])
  if (pending.length > 0) return 'schema_pending'
  await makeKeys()
  await endorseAuditKey()
  return 'done'
}
