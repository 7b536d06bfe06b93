import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

type Secrets = { secret: Secret; previous: Secret | undefined }

/**
 * Opens and seals what the sign-in library stores of authenticator apps, in the library's own format. That format does
 * not name the secret that sealed a text, so both secrets are tried. `undefined`: neither opens it.
 */
export function createFactorSeal({ secret, previous }: Secrets) {
  const openWith = (one: Secret, sealed: string): Promise<string | undefined> =>
    symmetricDecrypt({ key: one.reveal(), data: sealed }).catch(() => undefined)
  const openOlder = async (sealed: string) => (previous === undefined ? undefined : openWith(previous, sealed))

  return {
    /** The text as the present secret seals it: the same text if it already does. */
    reseal: async (sealed: string): Promise<string | undefined> => {
      if ((await openWith(secret, sealed)) !== undefined) return sealed
      const plain = await openOlder(sealed)
      return plain === undefined ? undefined : symmetricEncrypt({ key: secret.reveal(), data: plain })
    },

    /** How many recovery codes a sealed list holds. Codes that nothing opens sign nobody in, so there are none left. */
    countRecoveryCodes: async (sealed: string): Promise<number> => {
      const plain = (await openWith(secret, sealed)) ?? (await openOlder(sealed))
      const codes: unknown = plain === undefined ? [] : JSON.parse(plain)
      return Array.isArray(codes) ? codes.length : 0
    },
  }
}

export type FactorSeal = ReturnType<typeof createFactorSeal>
