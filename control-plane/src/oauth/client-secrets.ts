import type { Secret } from '@svc/shared/kit/secret.ts'
import { createSealedBox } from '../entry/sealed-box.ts'

const PURPOSE = 'oauth-client-secrets'

/** Seals and opens secrets of clients. */
export type SecretStore = { seal(secret: string): string; open(stored: string): string }

/**
 * Secrets of clients, sealed for the database. Those sealed with the previous secret of the platform can still be
 * opened.
 */
export function createClientSecrets({
  secret,
  previous,
}: {
  secret: Secret
  previous?: Secret | undefined
}): SecretStore {
  const box = createSealedBox(secret, PURPOSE)
  const older = previous && createSealedBox(previous, PURPOSE)
  return {
    seal: (plain) => box.seal(Buffer.from(plain), PURPOSE).toString('base64url'),
    open: (stored) => {
      const sealed = Buffer.from(stored, 'base64url')
      try {
        return box.open(sealed, PURPOSE).toString()
      } catch (error) {
        if (older === undefined) throw error
        return older.open(sealed, PURPOSE).toString()
      }
    },
  }
}
