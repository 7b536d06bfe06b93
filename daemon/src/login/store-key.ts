import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where `svcd login` keeps the key of a home. */
export const keyFileOf = (home: string): string => join(home, 'daemon', 'relay-key')

/** Puts a key into the key file of a home, whole or not at all, readable by its owner alone. Answers the path. */
export async function storeKey(home: string, key: string): Promise<string> {
  const file = keyFileOf(home)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(fresh, 'wx', 0o600)
    try {
      await handle.writeFile(`${key}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
  return file
}
