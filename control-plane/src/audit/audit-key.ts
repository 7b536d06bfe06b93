import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from 'node:crypto'
import type { Secret } from '@svc/shared/kit/secret.ts'

/** Signs the heads of audit chains; the private key never enters the database. */
export type AuditKey = {
  id: string
  /** SubjectPublicKeyInfo in base64. Exports name it, for verification elsewhere. */
  publicKey: string
  sign(text: string): string
  verify(signed: Signed): boolean
}
export type Signed = { text: string; keyId: string; signature: string }

// PKCS #8 wrapping of a raw Ed25519 seed (RFC 8410).
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Derives the signing key from a configured secret: the same secret gives the same key. */
export function deriveAuditKey(secret: Secret): AuditKey {
  const seed = Buffer.from(hkdfSync('sha256', secret.reveal(), 'svc-audit', 'ed25519 checkpoint key', 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const verifier = auditVerifier(createPublicKey(privateKey))
  return { ...verifier, sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url') }
}

/** A key of an earlier secret, signed by a later key. */
export type Endorsement = { keyId: string; publicKey: string; endorsedBy: string; signature: string }

const endorsementText = ({ keyId, publicKey, endorsedBy }: Omit<Endorsement, 'signature'>) =>
  ['svc-audit', 'key', keyId, publicKey, endorsedBy].join('\n')

/** Signs an earlier key; call it while both secrets are known. */
export function endorse(key: AuditKey, earlier: AuditKey): Endorsement {
  const endorsed = { keyId: earlier.id, publicKey: earlier.publicKey, endorsedBy: key.id }
  return { ...endorsed, signature: key.sign(endorsementText(endorsed)) }
}

/** Verifies with one key and with every earlier key that it signed, directly or through others. */
export function trustedVerifier(root: Omit<AuditKey, 'sign'>, endorsements: readonly Endorsement[]) {
  const trusted = new Map([[root.id, root]])
  const adopt = (endorsement: Endorsement): boolean => {
    const { keyId, publicKey, endorsedBy, signature } = endorsement
    const by = trusted.get(endorsedBy)
    if (trusted.has(keyId) || !by?.verify({ text: endorsementText(endorsement), keyId: endorsedBy, signature }))
      return false
    trusted.set(keyId, readAuditVerifier(publicKey))
    return true
  }
  while (endorsements.some(adopt)) continue
  return { verify: (signed: Signed): boolean => trusted.get(signed.keyId)?.verify(signed) ?? false }
}

/** Creates the verifier of a public key (SubjectPublicKeyInfo in base64), as an export carries it. */
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
