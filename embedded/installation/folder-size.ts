import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Bytes of all files in a folder, or of one file. Files that vanish meanwhile count as zero. */
export async function folderBytes(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isDirectory()) return found?.size ?? 0
  let bytes = 0
  for (const name of await readdir(path).catch(() => [])) bytes += await folderBytes(join(path, name))
  return bytes
}

/** A number of bytes for people. */
export function shownBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
