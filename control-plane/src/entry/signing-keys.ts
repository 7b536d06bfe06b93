import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { assertionLifetimes, assertionTypes, type VerificationKey } from '@svc/shared/wire/assertions.ts'
import { SignJWT } from 'jose'
import type { Db } from '../db/database.ts'
import { createSealedBox } from './sealed-box.ts'
import { signingKeysRepository, type SealedKey } from './signing-keys.repository.ts'

export type AssertionUse = keyof typeof assertionTypes

/** Signs assertions of one kind and no other. */
export type Signer = (claims: Record<string, unknown>) => Promise<{ text: string; expiresAt: Date }>

/** A retired key verifies for this long, until everything that it signed has expired. */
const RETIRED_MS = 10 * 60_000
/** How soon a replica notices a rotation by another replica. */
const FRESH_MS = 60_000

type SigningKeysOptions = {
  db: Db
  clock: Pick<Clock, 'now'>
  secret: Secret
  /** The secret before it, during a change of secrets. */
  previous?: Secret | undefined
  issuer: string
}
const PURPOSE = 'signing-keys'
type HeldKey = { kid: string; key: KeyObject; readAt: number }

/** The keys that sign assertions; created at the first start or use, shared by all replicas through the database. */
export function createSigningKeys({ db, clock, secret, previous, issuer }: SigningKeysOptions) {
  const keys = signingKeysRepository(db, clock)
  const box = createSealedBox(secret, PURPOSE)
  const older = previous && createSealedBox(previous, PURPOSE)
  const held = new Map<AssertionUse, Promise<HeldKey>>()

  const open = ({ kid, sealed_private }: SealedKey): { plain: Buffer; isOlder: boolean } => {
    const sealed = Buffer.from(sealed_private)
    try {
      return { plain: box.open(sealed, kid), isOlder: false }
    } catch (error) {
      if (older === undefined) throw error
      return { plain: older.open(sealed, kid), isOlder: true }
    }
  }

  const read = async (use: AssertionUse): Promise<HeldKey> => {
    const found = await keys.findCurrent(use)
    if (found === undefined) {
      await keys.insertCurrent(makeKey(use, box.seal))
      return read(use)
    }
    const { plain } = open(found)
    const key = createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' })
    return { kid: found.kid, key, readAt: clock.now().getTime() }
  }

  const current = async (use: AssertionUse): Promise<HeldKey> => {
    const known = await held.get(use)?.catch(() => undefined)
    if (known !== undefined && clock.now().getTime() - known.readAt < FRESH_MS) return known
    const fresh = read(use)
    held.set(use, fresh)
    return fresh
  }

  return {
    /** The signer of one kind. Code that holds only this cannot mint another kind. */
    signer:
      (use: AssertionUse): Signer =>
      async (claims) => {
        const { kid, key } = await current(use)
        const issuedAt = Math.floor(clock.now().getTime() / 1000)
        const expiresAt = issuedAt + assertionLifetimes[use]
        const text = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'EdDSA', typ: assertionTypes[use], kid })
          .setIssuer(issuer)
          .setIssuedAt(issuedAt)
          .setExpirationTime(expiresAt)
          .sign(key)
        return { text, expiresAt: new Date(expiresAt * 1000) }
      },

    /** The keys for verification, including those retired recently. */
    published: async (): Promise<VerificationKey[]> => {
      await Promise.all([current('entry'), current('request'), current('service')])
      const rows = await keys.listUsedSince(new Date(clock.now().getTime() - RETIRED_MS))
      return rows.map(({ kid, use, public_x }) => ({ kid, kty: 'OKP', crv: 'Ed25519', x: public_x, uses: [use] }))
    },

    /**
     * Opens every key in use, then reseals those that only the previous secret opens. False, with nothing changed, when
     * one cannot be opened.
     */
    adoptSecret: async (): Promise<boolean> => {
      const opened = []
      for (const key of await keys.listCurrent()) {
        try {
          opened.push({ key, ...open(key) })
        } catch {
          return false
        }
      }
      for (const { key, plain, isOlder } of opened) if (isOlder) await keys.updateSealed(key, box.seal(plain, key.kid))
      return true
    },

    /** Replaces the key of a kind. What the old one signed stays valid until it expires. */
    rotate: async (use: AssertionUse): Promise<void> => {
      await db.transaction().execute(async (trx) => {
        const inside = signingKeysRepository(trx, clock)
        await inside.retireCurrent(use)
        await inside.insertCurrent(makeKey(use, box.seal))
      })
      held.delete(use)
    },
  }
}

export type SigningKeys = ReturnType<typeof createSigningKeys>

function makeKey(use: AssertionUse, seal: (plain: Buffer, name: string) => Buffer) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = String(publicKey.export({ format: 'jwk' }).x)
  // RFC 7638: the thumbprint of the required members in lexical order.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return { kid, use, public_x: x, sealed_private: seal(der, kid) }
}
