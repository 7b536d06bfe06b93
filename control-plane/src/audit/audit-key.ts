import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from 'node:crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** Signs the heads of audit chains; the private half never enters the database. */
export type AuditKey = {
  id: string
  /** SubjectPublicKeyInfo, base64: what an export names, for verification elsewhere. */
  publicKey: string
  sign(text: string): string
  verify(signed: Signed): boolean
}
export type Signed = { text: string; keyId: string; signature: string }

// PKCS #8 wrapping of a raw Ed25519 seed (RFC 8410).
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The signing key that follows from a secret of the configuration: the same secret gives the same key. */
export function deriveAuditKey(secret: Secret): AuditKey {
  const seed = Buffer.from(hkdfSync('sha256', secret.reveal(), 'svc-audit', 'ed25519 checkpoint key', 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const verifier = auditVerifier(createPublicKey(privateKey))
  return { ...verifier, sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url') }
}

/** The public half alone, as an export carries it. */
export function readAuditVerifier(publicKey: string): Omit<AuditKey, 'sign'> {
  return auditVerifier(createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' }))
}

function auditVerifier(key: KeyObject): Omit<AuditKey, 'sign'> {
  const der = key.export({ format: 'der', type: 'spki' })
  const id = createHash('sha256').update(der).digest('hex').slice(0, 16)
  return {
    id,
    publicKey: der.toString('base64'),
    verify: ({ text, keyId, signature }) =>
      keyId === id && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url')),
  }
}
