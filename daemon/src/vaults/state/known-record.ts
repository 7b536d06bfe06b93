import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { writeJsonFile } from '../../files/durable-file.ts'
import { FileTooLarge, NotRegularFile, readOwnFile } from '../../files/regular-file.ts'
import type { HomeLayout } from '../../home/home-layout.ts'

/**
 * What is recorded of the vaults. `vaults`: by identity, the name under which the data of the vault is stored.
 * `moving`: by identity, the name to which the data was being moved from there; a part of it may be under that name.
 * The marks of the folders tell whether a folder is still the one that was served: by identity, and of all vaults.
 */
const KnownVaults = z.object({
  format: z.literal(1),
  vaults: z.record(z.string(), z.string()),
  moving: z.record(z.string(), z.string()).default({}),
  folders: z.record(z.string(), z.string()).default({}),
  home: z.string().optional(),
})
export type KnownVaults = z.infer<typeof KnownVaults>

const NAME = 'vaults.json'

/** The names under which the data of a vault is while it has no name of its own. The identity is a file's text. */
export function asideNames(identity: string): { kept: string; renamed: string } {
  const isPlain = /^[\w-]{1,64}$/.test(identity)
  const key = isPlain ? identity : createHash('sha256').update(identity).digest('hex')
  return { kept: `.kept-${key}`, renamed: `.renamed-${key}` }
}

/**
 * A file that is not ours counts as empty: then the data under a name belongs to the vault of that name. A disk that
 * fails must not have the same effect, so its error is thrown.
 */
export async function readKnown({ daemon }: Pick<HomeLayout, 'daemon'>): Promise<KnownVaults> {
  const text = await readOwnFile(join(daemon, NAME)).catch((error: unknown) => {
    if (error instanceof NotRegularFile || error instanceof FileTooLarge) return undefined
    throw error
  })
  const parsed = KnownVaults.safeParse(text === undefined ? undefined : parsedOf(text))
  return parsed.success ? parsed.data : { format: 1, vaults: {}, moving: {}, folders: {} }
}

/** Stores the record, durably. The entries have an order, so that equal records are equal texts. */
export const recordKnown = ({ daemon }: Pick<HomeLayout, 'daemon'>, known: KnownVaults): Promise<void> =>
  writeJsonFile(daemon, NAME, sorted(known))

/** True when both records say the same. */
export const isSameRecord = (one: KnownVaults, other: KnownVaults): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

const sorted = ({ format, vaults, moving, folders, home }: KnownVaults): KnownVaults => ({
  format,
  vaults: inOrder(vaults),
  moving: inOrder(moving),
  folders: inOrder(folders),
  home,
})

const inOrder = (record: Record<string, string>) =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)))

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
