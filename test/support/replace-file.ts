import { randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Svcd } from './svcd.ts'

/**
 * Writes a file of a vault in one step, as another program. `writeFile` empties the file before it writes, and a daemon
 * that looks in between finds an empty note.
 */
export async function replaceFile({ home }: Pick<Svcd, 'home'>, file: string, text: string): Promise<void> {
  const draft = join(home, randomUUID())
  await writeFile(draft, text)
  await rename(draft, file)
}
