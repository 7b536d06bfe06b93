import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import {
  assertionTypes,
  CLOCK_TOLERANCE_SECONDS,
  EntryClaims,
  type VerificationKey,
} from '@svc/shared/wire/assertions.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { jwtVerify } from 'jose'
import type { SigningKeys } from './signing-keys.ts'

type Options = { signingKeys: Pick<SigningKeys, 'published'>; clock: Pick<Clock, 'now'>; issuer: string }

/**
 * Checks an entry assertion that was posted to a vault origin. Any problem with it is `unauthenticated`; every other
 * failure says nothing about it.
 */
export function createVerifyEntry({ signingKeys, clock, issuer }: Options) {
  return async (text: string, vaultOrigin: string): Promise<EntryClaims> => {
    // Read first: inside, a database that is away would pass for an assertion that is not valid.
    const keys = await signingKeys.published()
    try {
      const { payload } = await jwtVerify(text, ({ kid }) => findKey(keys, kid), {
        algorithms: ['EdDSA'],
        typ: assertionTypes.entry,
        issuer,
        audience: vaultOrigin,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: clock.now(),
        requiredClaims: ['exp', 'iat', 'jti'],
      })
      return EntryClaims.parse(payload)
    } catch (error) {
      throw fail('unauthenticated', { reason: 'assertion_invalid' }, { cause: error })
    }
  }
}

export type VerifyEntry = ReturnType<typeof createVerifyEntry>

function findKey(keys: readonly VerificationKey[], kid: string | undefined): KeyObject {
  const found = keys.find((key) => key.kid === kid && key.uses.includes('entry'))
  if (found === undefined) throw fail('unauthenticated')
  return createPublicKey({ key: { kty: found.kty, crv: found.crv, x: found.x }, format: 'jwk' })
}
