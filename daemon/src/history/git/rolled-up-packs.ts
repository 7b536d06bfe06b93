import { constants } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openRegularFile } from '../../files/regular-file.ts'

/** How many times the objects of the packs before it a pack must have, so that it is not written anew. */
export const FACTOR = 2

// The index of a pack begins with 8 bytes and a table of 256 numbers, the last of which counts the objects.
const COUNT_AT = 8 + 255 * 4

/** A pack with all files that belong to it. */
type Pack = { name: string; objects: number; bytes: number }

/**
 * The packs that `git repack --geometric` would write anew as one, chosen as git does. At most their bytes are written,
 * which may be far less than the history has.
 */
export async function rolledUpPacks(folder: string): Promise<Pack[]> {
  const packs = (await packsIn(folder)).sort((a, b) => a.objects - b.objects)
  let count = packs.findLastIndex((pack, at) => at > 0 && pack.objects < FACTOR * packs[at - 1]!.objects) + 1
  let objects = packs.slice(0, count).reduce((sum, pack) => sum + pack.objects, 0)
  // The pack that comes of them must not be too large beside the next one.
  while (count < packs.length && packs[count]!.objects < FACTOR * objects) objects += packs[count++]!.objects
  return packs.slice(0, count)
}

/** Git leaves a pack alone while a file with the ending `.keep` is beside it. */
async function packsIn(folder: string): Promise<Pack[]> {
  const files = Map.groupBy(await readdir(folder), (file) => file.replace(/\.[^.]*$/, ''))
  const packs: Pack[] = []
  for (const [name, parts] of files) {
    if (!parts.includes(`${name}.idx`) || parts.includes(`${name}.keep`)) continue
    let bytes = 0
    for (const part of parts) bytes += (await stat(join(folder, part))).size
    packs.push({ name, objects: await objectsIn(join(folder, `${name}.idx`)), bytes })
  }
  return packs
}

async function objectsIn(index: string): Promise<number> {
  const file = await openRegularFile(index, constants.O_RDONLY)
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, COUNT_AT)
    return buffer.readUInt32BE()
  } finally {
    await file.close()
  }
}
