import type { Secret } from '@svc/shared/kit/secret.ts'
import { createSealedBox } from '../entry/sealed-box.ts'

const PURPOSE = 'oauth-client-secrets'

/** Seals and opens secrets of clients. */
export type SecretStore = {
  seal(secret: string): string
  /** The secret; undefined if neither secret of the platform opens it. */
  open(stored: string): string | undefined
  /** The text as the present secret of the platform seals it: the same text if it already does. */
  reseal(stored: string): string | undefined
}

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
  const openWith = (one: typeof box, stored: string): string | undefined => {
    try {
      return one.open(Buffer.from(stored, 'base64url'), PURPOSE).toString()
    } catch {
      return undefined
    }
  }
  const openOlder = (stored: string) => older && openWith(older, stored)
  const seal = (plain: string) => box.seal(Buffer.from(plain), PURPOSE).toString('base64url')

  return {
    seal,
    open: (stored) => openWith(box, stored) ?? openOlder(stored),
    reseal: (stored) => {
      if (openWith(box, stored) !== undefined) return stored
      const plain = openOlder(stored)
      return plain === undefined ? undefined : seal(plain)
    },
  }
}
