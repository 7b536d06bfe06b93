import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals small secrets for the database (AES-256-GCM); a text sealed for one name cannot be opened under another. */
export function createSealedBox(secret: Secret, purpose: string) {
  const key = Buffer.from(hkdfSync('sha256', secret.reveal(), 'svc-sealed-box', purpose, 32))
  return {
    seal: (plain: Buffer, name: string): Buffer => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },

    open: (sealed: Buffer, name: string): Buffer => {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    },
  }
}
