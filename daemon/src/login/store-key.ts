import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../files/durable-file.ts'
import { homeLayout } from '../home/home-layout.ts'

const NAME = 'relay-key'

/** Writes a key to the key file of a home, atomically and readable by its owner only. Returns the path. */
export async function storeKey(home: string, key: string): Promise<string> {
  const { daemon } = homeLayout(home)
  await mkdir(daemon, { recursive: true, mode: 0o700 })
  await replaceFile(daemon, NAME, `${key}\n`)
  return join(daemon, NAME)
}
