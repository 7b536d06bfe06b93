import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { Db } from '../../control-plane/src/db/database.ts'
import type { Person } from './person.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The code that an authenticator app shows for an otpauth address (RFC 6238), `later` steps from now. */
export function codeOf(uri: string, later = 0): string {
  const url = new URL(uri)
  expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp'])
  const bits = [...(url.searchParams.get('secret') ?? '').replace(/=+$/, '')]
    .map((character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + later))
  const hash = createHmac('sha1', key).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/** A code that is wrong now and in the adjacent time steps. */
export function wrongCodeOf(uri: string): string {
  const near = [-2, -1, 0, 1, 2].map((later) => codeOf(uri, later))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
}

/** Forgets which codes were used, as if a minute had passed. */
export const forgetUsedCodes = async (db: Db): Promise<void> => {
  await db.deleteFrom('used_codes').execute()
}

/** Turns two-factor sign-in on. The code that it uses is valid again afterwards. */
export async function enrol(person: Person, { db, password }: { db: Db; password: string | undefined }) {
  const begun = await person.post('/api/auth/two-factor/enable', password === undefined ? {} : { password })
  expect(begun.status, begun.text).toBe(200)
  const { totpURI, backupCodes } = begun.body as { totpURI: string; backupCodes: string[] }
  const confirmed = await person.post('/api/auth/two-factor/confirm', { code: codeOf(totpURI) })
  expect(confirmed.status, confirmed.text).toBe(200)
  await forgetUsedCodes(db)
  return { uri: totpURI, recoveryCodes: backupCodes }
}
