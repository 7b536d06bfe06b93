import { createHash, randomBytes } from 'node:crypto'
import type { HeldKey } from './observed.ts'

const RELAY_KEY_PREFIX = 'svc_dmn_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 43 // 256 bits

/** A new relay key: the prefix and 256 random bits in base62. */
export function mintRelayKey(): string {
  let value = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (let digit = 0; digit < LENGTH; digit++) {
    text = BASE62[Number(value % 62n)] + text
    value /= 62n
  }
  return RELAY_KEY_PREFIX + text
}

/** What may leave the Secret: SHA-256 of the key's text, hexadecimal. */
function relayKeyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** A key with its plaintext, as the Secret keeps it. */
export type StoredKey = { generation: number; token: string }

/** What may leave the Secret: generations and hashes, oldest first. */
export function heldKeys(keys: readonly StoredKey[]): HeldKey[] {
  return keys
    .map(({ generation, token }) => ({ generation, hash: relayKeyHash(token) }))
    .sort((a, b) => a.generation - b.generation)
}
