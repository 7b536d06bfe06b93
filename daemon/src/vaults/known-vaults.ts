import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '@svc/shared/kit/log.ts'
import { writeJsonFile } from '../files/durable-file.ts'
import { FileTooLarge, NotRegularFile, readOwnFile } from '../files/regular-file.ts'
import { identityKey } from '../files/vault-path.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { carryState } from './carry-state.ts'
import { readVaultFile } from './vault-identity.ts'

/**
 * What is recorded of the vaults. `vaults`: by identity, the name under which the data of the vault is stored. The
 * marks of the folders tell whether a folder is still the one that was served: by identity, and of all vaults.
 */
const KnownVaults = z.object({
  format: z.literal(1),
  vaults: z.record(z.string(), z.string()),
  folders: z.record(z.string(), z.string()).default({}),
  home: z.string().optional(),
})
type KnownVaults = z.infer<typeof KnownVaults>

const NAME = 'vaults.json'

/** The vaults that are served or about to be, by name. */
type Found = ReadonlyMap<string, { identity: string }>

type Options = { layout: HomeLayout; found: Found; at: Date; log: Log }

/**
 * Decides whose the daemon's data under each name is, before the vaults are opened: the data of a renamed vault moves
 * to its new name, and the data of a vault that is gone while another one has its name is kept aside until it returns.
 * It takes two steps, because vaults may have swapped names; each step can be repeated after a kill.
 */
export async function placeState({ layout, found, at, log }: Options): Promise<void> {
  const known = await readKnown(layout)
  const nameOf = new Map(Array.from(found, ([name, { identity }]) => [identity, name] as const))
  const taken = new Set(Array.from(found.keys(), identityKey))

  const moves = Object.entries(known.vaults).flatMap(([identity, from]) => {
    const to = nameOf.get(identity)
    if (to === undefined ? !taken.has(identityKey(from)) : to === from) return []
    return [{ identity, from, between: asideName(to === undefined ? '.kept-' : '.renamed-', identity), to }]
  })
  for (const { identity, from, between } of moves) {
    if (from !== between) await carryState({ layout, from, to: between, at })
    known.vaults[identity] = between
  }
  // Only then can a repetition tell the data of a vault from the data that the second step has put in its place.
  if (moves.length > 0) await record(layout, known)
  for (const { identity, from, between, to } of moves) {
    if (to === undefined) {
      log.warn({ vault: from, kept: between }, 'another vault has this name now; the data of the former one is kept')
      continue
    }
    await carryState({ layout, from: between, to, at })
    known.vaults[identity] = to
    log.info({ vault: to, from }, 'the data of a renamed vault is under its new name')
  }

  await recordFound({ layout, found, log, known })
}

async function recordFound({ layout, found, log, known }: Omit<Options, 'at'> & { known: KnownVaults }): Promise<void> {
  const before = JSON.stringify(await readKnown(layout))
  for (const [name, { identity }] of found) {
    known.vaults[identity] = name
    const root = join(layout.vaults, name)
    // Another directory may have the place of an open vault.
    const file = await readVaultFile(root).catch(() => undefined)
    const mark = file?.identity === identity ? await markOf(root) : undefined
    if (mark !== undefined) known.folders[identity] = mark
  }
  const now = sorted({ ...known, home: await markOf(layout.vaults) })
  if (JSON.stringify(now) === before) return
  await record(layout, now).catch((error: unknown) => {
    const message =
      'the names of the vaults cannot be stored; a vault renamed while the daemon is stopped loses its history'
    log.warn({ err: error }, message)
  })
}

/**
 * The identity of a directory that has lost its `.svc/vault.json`. Undefined if it is another directory than the one
 * that was served under its name: then it is a new vault. When all vaults have moved to another disk, no directory is
 * the one that was served, and the name decides.
 */
export async function lostIdentity({ layout, name, found }: Pick<Options, 'layout' | 'found'> & { name: string }) {
  const { vaults, folders, home } = await readKnown(layout)
  const held = new Set(Array.from(found.values(), ({ identity }) => identity))
  const identity = Object.keys(vaults).find((one) => vaults[one] === name && !held.has(one))
  if (identity === undefined) return undefined
  const mark = folders[identity]
  if (mark === undefined || home !== (await markOf(layout.vaults))) return identity
  return mark === (await markOf(join(layout.vaults, name))) ? identity : undefined
}

/** Removes the indexes of vaults that are gone: they can be built again, and nothing else removes them. */
export async function removeOldIndexes({ layout, found, log }: Omit<Options, 'at'>): Promise<void> {
  await mkdir(layout.index, { recursive: true })
  for (const name of await readdir(layout.index)) {
    if (found.has(name)) continue
    await rm(join(layout.index, name), { recursive: true, force: true })
    log.info({ vault: name }, 'removed the index of a vault that is gone')
  }
}

/** A folder's inode number is given to another one when it is gone; its time of birth is not. */
async function markOf(folder: string): Promise<string | undefined> {
  try {
    const { ino, birthtimeMs } = await stat(folder)
    return `${ino} ${birthtimeMs}`
  } catch {
    return undefined
  }
}

/** The name under which the data of a vault is kept while it has no name of its own. The identity is a file's text. */
function asideName(prefix: string, identity: string): string {
  const isPlain = /^[\w-]{1,64}$/.test(identity)
  return prefix + (isPlain ? identity : createHash('sha256').update(identity).digest('hex'))
}

const record = (layout: HomeLayout, known: KnownVaults): Promise<void> => writeJsonFile(layout.daemon, NAME, known)

const sorted = ({ format, vaults, folders, home }: KnownVaults): KnownVaults => ({
  format,
  vaults: inOrder(vaults),
  folders: inOrder(folders),
  home,
})

const inOrder = (record: Record<string, string>) =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/**
 * A file that is not ours counts as empty: then the data under a name belongs to the vault of that name. A disk that
 * fails must not have the same effect, so its error is thrown.
 */
async function readKnown({ daemon }: HomeLayout): Promise<KnownVaults> {
  const text = await readOwnFile(join(daemon, NAME)).catch((error: unknown) => {
    if (error instanceof NotRegularFile || error instanceof FileTooLarge) return undefined
    throw error
  })
  const parsed = KnownVaults.safeParse(text === undefined ? undefined : parsedOf(text))
  return parsed.success ? parsed.data : { format: 1, vaults: {}, folders: {} }
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
