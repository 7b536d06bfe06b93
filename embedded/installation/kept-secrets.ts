import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { readSecrets, sameSecrets, writeSecrets, type PlatformSecrets } from '../platform-secrets.ts'
import { databaseLayout, type DataLayout } from './places.ts'
import { StartRefused } from './refusal.ts'

type Kept = { layout: DataLayout; databaseFolder: string | undefined; secrets: PlatformSecrets }

/**
 * Stores the secrets that have opened the database. The copy beside the database is written first: after a kill in
 * between, `--adopt` uses that copy, which opens the keys.
 */
export async function keepSecrets({ layout, databaseFolder, secrets }: Kept): Promise<void> {
  const beside = databaseFolder === undefined ? [] : [databaseLayout(databaseFolder).secrets]
  for (const file of [...beside, layout.secrets]) {
    const kept = await readSecrets(file)
    if (kept === undefined || !sameSecrets(kept, secrets)) await writeSecrets(file, secrets)
  }
}

/** When AUTH_SECRET does not open the stored keys, adds to the refusal where this platform stores it. */
export const explainSecret =
  ({ secrets }: DataLayout) =>
  (error: unknown): never => {
    const isSecret = error instanceof ConfigurationError && error.problems.some(({ path }) => path === 'AUTH_SECRET')
    if (!isSecret) throw error
    throw new StartRefused(
      'AUTH_SECRET does not open the keys in the database. Set the value that sealed them, or put back the ' +
        `${secrets} that holds it. To change the secret, set the new one as AUTH_SECRET and that value as ` +
        'AUTH_SECRET_PREVIOUS.',
    )
  }
