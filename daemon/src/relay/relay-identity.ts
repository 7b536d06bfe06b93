import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { link, mkdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeNewFile } from '../files/durable-file.ts'
import { readOwnFile } from '../files/regular-file.ts'

/**
 * The key pair of one home. With it the relay can distinguish the home from another one that has a copy of its daemon
 * key.
 */
export type RelayIdentity = {
  /** Base64url public key. */
  instanceId: string
  /** Base64url signature. */
  prove(text: string): string
}

/** Reads the key of this home, or creates it at the first start. Only its owner can read the file. */
export async function loadRelayIdentity(path: string): Promise<RelayIdentity> {
  const key = (await readKey(path)) ?? (await makeKey(path))
  const instanceId = String(createPublicKey(key).export({ format: 'jwk' }).x)
  return { instanceId, prove: (text) => sign(null, Buffer.from(text), key).toString('base64url') }
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  const text = await readOwnFile(path)
  return text === undefined ? undefined : createPrivateKey(text)
}

async function makeKey(path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeNewFile({ path: draft, content: privateKey.export({ format: 'pem', type: 'pkcs8' }) })
  try {
    await link(draft, path) // fails if another start was first; its key is used then
    return privateKey
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const other = await readKey(path)
    if (other === undefined) throw error
    return other
  } finally {
    await unlink(draft)
  }
}
