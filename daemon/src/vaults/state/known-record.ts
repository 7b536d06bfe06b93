import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '@svc/shared/kit/log.ts'
import { writeJsonFile } from '../../files/durable-file.ts'
import { FileTooLarge, NotRegularFile, readOwnFile } from '../../files/regular-file.ts'
import type { HomeLayout } from '../../home/home-layout.ts'

/**
 * What is recorded of the vaults, by the key of their identity. `vaults`: the name under which the data of the vault is
 * stored. `moving`: the name to which the data was being moved from there; a part of it may be under that name. The
 * marks of the folders tell whether a folder is still the one that was served: of each vault, and of all vaults.
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
// Room for the entries of 100 000 vaults.
const MAX_BYTES = 16 * 1024 * 1024

/**
 * A short plain name for an identity, which is a file's text of any length. A key is its own key. Without it one vault
 * could make the record too large to be read.
 */
export function keyOf(identity: string): string {
  // Every object has a `constructor`: such a text is no key of a record.
  const isPlain = /^[\w-]{1,64}$/.test(identity) && !(identity in {})
  return isPlain ? identity : createHash('sha256').update(identity).digest('hex')
}

/** The names under which the data of a vault is while it has no name of its own. */
export const asideNames = (key: string) => ({ kept: `.kept-${key}`, renamed: `.renamed-${key}` })

/** True for names that no vault may have: it would be served with the data that is kept of another one. */
export const isAsideName = (name: string): boolean => /^\.(?:kept|renamed)-/i.test(name)

/**
 * A file that is not ours counts as empty: then the data under a name belongs to the vault of that name. A disk that
 * fails must not have the same effect, so its error is thrown.
 */
export async function readKnown({ daemon }: Pick<HomeLayout, 'daemon'>, log?: Log): Promise<KnownVaults> {
  try {
    const text = await readOwnFile(join(daemon, NAME), MAX_BYTES)
    if (text === undefined) return empty()
    const { vaults, moving, folders, ...rest } = KnownVaults.parse(JSON.parse(text))
    return { ...rest, vaults: byKey(vaults), moving: byKey(moving), folders: byKey(folders) }
  } catch (error) {
    if (!isUnusable(error)) throw error
    const message = 'the record of the vaults is not usable; what is known of a vault is looked for under its name'
    log?.error({ err: error, file: NAME }, message)
    return empty()
  }
}

const empty = (): KnownVaults => ({ format: 1, vaults: {}, moving: {}, folders: {} })

const isUnusable = (error: unknown): boolean =>
  [NotRegularFile, FileTooLarge, SyntaxError, z.ZodError].some((kind) => error instanceof kind)

/** Earlier versions wrote the whole identities. */
const byKey = (record: Record<string, string>) =>
  Object.fromEntries(Object.entries(record).map(([identity, value]) => [keyOf(identity), value]))

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
