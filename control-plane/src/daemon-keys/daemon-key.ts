import { createHash, randomBytes } from 'node:crypto'

const PREFIX = 'svc_dmn_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 characters of base62 carry 256 bits. */
const BODY_LENGTH = 43
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH}}$`)

/** A new daemon key: the prefix and 256 random bits. Shown once; only `hashDaemonKey` of it is kept. */
export function mintDaemonKey(): string {
  let number = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let body = ''
  for (let i = 0; i < BODY_LENGTH; i += 1) {
    body = ALPHABET[Number(number % 62n)]! + body
    number /= 62n
  }
  return PREFIX + body
}

/** True for a text in the form of a daemon key. */
export function isDaemonKey(text: string): boolean {
  return SHAPE.test(text)
}

/** The stored form of a key. 256 random bits need no salt and no slow hash. */
export function hashDaemonKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The last characters of a key, stored so that people can tell keys apart. */
export function lastFour(key: string): string {
  return key.slice(-4)
}

/** The masked form of a key in later reads. The end of a hosted key is not known here. */
export function maskDaemonKey(last: string | null): string {
  return `${PREFIX}…${last ?? ''}`
}
