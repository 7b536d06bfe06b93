import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { Secret } from '@svc/shared/kit/secret.ts'
import { assertionLifetimes, assertionTypes, type VerificationKey } from '@svc/shared/wire/assertions.ts'
import type { SigningKeyView } from '@svc/shared/wire/admin/admin.api.ts'
import { SignJWT } from 'jose'
import type { Db } from '../db/database.ts'
import { createSealedBox } from './sealed-box.ts'
import { signingKeysRepository, type SealedKey } from './signing-keys.repository.ts'

export type AssertionUse = keyof typeof assertionTypes
export const assertionUses = Object.keys(assertionTypes) as AssertionUse[]

/** Signs assertions of one kind and no other. */
export type Signer = (claims: Record<string, unknown>) => Promise<{ text: string; expiresAt: Date }>

/** A retired key verifies for this long, until everything that it signed has expired. */
const RETIRED_MS = 10 * 60_000
/** A new key is published for this long before it signs: longer than any replica or daemon takes to learn of it. */
const LEAD_MS = 5 * 60_000
/** How soon a replica notices a rotation by another replica. */
const FRESH_MS = 60_000

type SigningKeysOptions = {
  db: Db
  clock: Pick<Clock, 'now'>
  secret: Secret
  /** The previous secret, while secrets are being changed. */
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
     * Opens every key in use, then reseals those that only the previous secret opens. Counts both; changes nothing when
     * one cannot be opened.
     */
    reseal: async (): Promise<{ resealed: number; unopened: number }> => {
      const opened = []
      const rows = await keys.listCurrent()
      for (const key of rows) {
        try {
          opened.push({ key, ...open(key) })
        } catch {
          // Counted below.
        }
      }
      const unopened = rows.length - opened.length
      const resealed = unopened > 0 ? [] : opened.filter(({ isOlder }) => isOlder)
      for (const { key, plain } of resealed) await keys.updateSealed(key, box.seal(plain, key.kid))
      return { resealed: resealed.length, unopened }
    },

    /** The keys as system admins see them, oldest first. */
    list: async (): Promise<SigningKeyView[]> => {
      const rows = await keys.listUsedSince(new Date(clock.now().getTime() - RETIRED_MS))
      const now = clock.now()
      return rows.map(({ kid, use, created_at, retired_at }) => {
        const isOver = retired_at !== null && retired_at <= now
        const signing = rows.find((row) => row.use === use && (row.retired_at === null || row.retired_at > now))
        const state = isOver ? 'verifies' : signing?.kid === kid ? 'signing' : 'next'
        return { kid, use, state, createdAt: created_at.toISOString(), signsUntil: retired_at?.toISOString() ?? null }
      })
    },

    /**
     * Replaces the key of a kind in the caller's transaction. With overlap the new key is published for five minutes
     * before it signs, and what the old one signed stays valid until it expires. At once withdraws the old keys.
     */
    replaceIn: async (trx: Db, use: AssertionUse, how: 'with_overlap' | 'at_once'): Promise<void> => {
      const inside = signingKeysRepository(trx, clock)
      const now = clock.now().getTime()
      await (how === 'at_once'
        ? inside.withdraw(use, new Date(now - RETIRED_MS))
        : inside.retireAt(use, new Date(now + LEAD_MS)))
      await inside.insertCurrent(makeKey(use, box.seal))
    },

    /** Replaces the key of a kind with overlap, if the newest key was created before a time. False if it is newer. */
    replaceOlderIn: async (trx: Db, use: AssertionUse, before: Date): Promise<boolean> => {
      const inside = signingKeysRepository(trx, clock)
      const at = new Date(clock.now().getTime() + LEAD_MS)
      const isOld = await inside.retireOlderAt(use, { before, at })
      if (isOld) await inside.insertCurrent(makeKey(use, box.seal))
      return isOld
    },

    /** Drops the cached keys, so that the next use reads them again. */
    forget: (): void => held.clear(),
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
