import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomUUID } from 'node:crypto'

/** The key pair of one home, by which the relay knows it from a copy of its daemon key. */
export type RelayIdentity = {
  /** Base64url public key. */
  instanceId: string
  /** Base64url signature. */
  prove(text: string): string
}

/** Reads the key of this home, or makes it at the first start. The file is for its owner alone. */
export async function loadRelayIdentity(path: string): Promise<RelayIdentity> {
  const key = (await readKey(path)) ?? (await makeKey(path))
  const instanceId = String(createPublicKey(key).export({ format: 'jwk' }).x)
  return { instanceId, prove: (text) => sign(null, Buffer.from(text), key).toString('base64url') }
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  try {
    return createPrivateKey(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function makeKey(path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, path) // fails where another start was first; then its key counts
    return privateKey
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return createPrivateKey(await readFile(path, 'utf8'))
  } finally {
    await unlink(draft)
  }
}
