import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { MAX_CHUNK_BYTES } from '@svc/shared/wire/daemon/backup-frames.ts'
import { backupBroken } from './backup-broken.ts'

/** Seals and opens the parts of a backup with the data key of one organization. */
export type ChunkSeal = {
  /** The name of a chunk: a keyed hash of its content, which reveals nothing without the key. */
  nameOf(content: Buffer): string
  /** Compressed and encrypted, bound to a context: it can be opened only with the same context. */
  seal(content: Buffer, context: string): Promise<Buffer>
  /** Throws backup_broken for anything that was not sealed under this key and context. */
  open(sealed: Buffer, context: string): Promise<Buffer>
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const STORED = 1
const COMPRESSED = 2
const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The seal for a data key, given as hex. Derives two keys from it: one for names, one for encryption. */
export function createChunkSeal(dataKey: string): ChunkSeal {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', Buffer.from(dataKey, 'hex'), '', purpose, 32))
  const naming = derive('svc backup: names of chunks')
  const sealing = derive('svc backup: content of chunks')

  return {
    nameOf: (content) => createHmac('sha256', naming).update(content).digest('hex'),

    async seal(content, context) {
      const smaller = await compress(content, { level: 6 })
      const isSmaller = smaller.length < content.length
      const form = isSmaller ? COMPRESSED : STORED
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, sealing, nonce).setAAD(contextOf(form, context))
      const text = cipher.update(isSmaller ? smaller : content)
      return Buffer.concat([Buffer.of(form), nonce, text, cipher.final(), cipher.getAuthTag()])
    },

    async open(sealed, context) {
      const form = sealed[0]
      const end = sealed.length - TAG_BYTES
      if ((form !== STORED && form !== COMPRESSED) || end < 1 + NONCE_BYTES) throw backupBroken('ChunkChanged')
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      try {
        const decipher = createDecipheriv(ALGORITHM, sealing, nonce, { authTagLength: TAG_BYTES })
        decipher.setAAD(contextOf(form, context)).setAuthTag(sealed.subarray(end))
        const text = Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES, end)), decipher.final()])
        return form === COMPRESSED ? await decompress(text, { maxOutputLength: MAX_CHUNK_BYTES }) : text
      } catch (error) {
        throw backupBroken('ChunkChanged', error)
      }
    },
  }
}

const contextOf = (form: number, context: string): Buffer => Buffer.from(`${form}:${context}`)
