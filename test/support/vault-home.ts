import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newHome } from './svcd.ts'

/** A new home with these files, by their paths below `vaults`. A path that ends with a slash is an empty folder. */
export async function homeWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const home = await newHome()
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, 'vaults', path)
    await mkdir(path.endsWith('/') ? file : dirname(file), { recursive: true })
    if (!path.endsWith('/')) await writeFile(file, content)
  }
  return home
}
