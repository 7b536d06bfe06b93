import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { identityKey } from '../files/vault-path.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { carryState, namesWithState, setStateAside } from './carry-state.ts'
import { vaultLayout } from './vault-layout.ts'
import { asideNames, isSameRecord, keyOf, readKnown, recordKnown, type KnownVaults } from './state/known-record.ts'
import { readVaultFile } from './vault-identity.ts'

/** The keys of the identities of the vaults that are served or about to be, by name. */
type Found = ReadonlyMap<string, string>

/** `found`: the vaults that are served or about to be, by name. */
type Options = { layout: HomeLayout; found: ReadonlyMap<string, { identity: string }>; at: Date; log: Log }

/** The vaults that cannot be opened yet, by name, and why: their data is not, or not alone, under their names. */
export type Waiting = ReadonlyMap<string, unknown>

/** `from` and `between`: where the data is and where the first step takes it. `to` is undefined if it stays there. */
type Move = { key: string; from: string; halfway: string | undefined; between: string; to: string | undefined }

/** Data of a vault that a step has taken away from where the record says it is. */
type Stray = { key: string; from: string; to: string }

/**
 * Brings the daemon's data of each vault under the present name of the vault, before the vaults are opened. The data of
 * a renamed vault moves to its new name. If a vault is gone and another one has its name, its data is kept aside until it
 * returns.
 * It takes two steps, because vaults may have swapped names; each step can be repeated or undone after a kill. Data that
 * cannot be moved, as on a full disk, delays only the vaults that it concerns.
 */
export async function placeState({ layout, found: vaults, at, log }: Options): Promise<Waiting> {
  const found = keysOf(vaults)
  let known = await readKnown(layout, log)
  const names = await namesWithState(layout)
  takeUnrecorded(known, found, names)
  forgetWithoutData(known, found, names)
  const strays = straysOf(known, names)
  let moves = movesOf(known, found)
  const waiting = new Map<string, unknown>()
  try {
    for (const { from, to } of strays) await carryState({ layout, from, to, at })
    known = await stepAside({ layout, known, moves, at })
  } catch (error) {
    await stepBack({ layout, moves, at, log })
    for (const name of concerned({ strays, moves, found })) waiting.set(name, error)
    moves = []
  }

  for (const { key, from, between, to } of moves) {
    if (to === undefined) {
      log.warn({ vault: from, kept: between }, 'another vault has this name now; the data of the former one is kept')
      continue
    }
    try {
      await carryState({ layout, from: between, to, at })
      known.vaults[key] = to
      delete known.moving[key]
      log.info({ vault: to, from }, 'the data of a renamed vault is under its new name')
    } catch (error) {
      waiting.set(to, error)
    }
  }

  for (const [vault, err] of waiting)
    log.error({ err, vault }, 'a vault is not served: what is known of renamed vaults cannot be moved; tried again')
  await recordFound({ layout, found: new Map([...found].filter(([name]) => !waiting.has(name))), log, known })
  return waiting
}

const keysOf = (vaults: Options['found']): Found =>
  new Map(Array.from(vaults, ([name, { identity }]) => [name, keyOf(identity)] as const))

/** Data that is kept under an identity belongs to it, even if the record is lost. */
function takeUnrecorded(known: KnownVaults, found: Found, names: ReadonlySet<string>): void {
  for (const key of found.values()) {
    const { kept, renamed } = asideNames(key)
    const aside = [renamed, kept].find((name) => names.has(name))
    if (aside !== undefined) known.vaults[key] ??= aside
  }
}

/** Vaults that are gone and have no data have no entry, or the record would grow for ever. */
function forgetWithoutData(known: KnownVaults, found: Found, names: ReadonlySet<string>): void {
  const held = new Set(found.values())
  for (const [key, name] of Object.entries(known.vaults)) {
    const places = [name, known.moving[key] ?? name, ...Object.values(asideNames(key))]
    if (held.has(key) || places.some((place) => names.has(place))) continue
    for (const entries of [known.vaults, known.moving, known.folders]) delete entries[key]
  }
}

/** What a kill or a failure within the first step has left behind. */
const straysOf = (known: KnownVaults, names: ReadonlySet<string>): Stray[] =>
  Object.entries(known.vaults).flatMap(([key, to]) =>
    Object.values(asideNames(key))
      .filter((from) => from !== to && names.has(from))
      .map((from) => ({ key, from, to })),
  )

function movesOf(known: KnownVaults, found: Found): Move[] {
  const nameOf = new Map(Array.from(found, ([name, key]) => [key, name] as const))
  const taken = new Set(Array.from(found.keys(), identityKey))

  return Object.entries(known.vaults).flatMap(([key, from]) => {
    const to = nameOf.get(key)
    const halfway = known.moving[key]
    const isTaken = [from, halfway].some((name) => name !== undefined && taken.has(identityKey(name)))
    if (to === undefined ? !isTaken : to === from) return []
    const { kept, renamed } = asideNames(key)
    return [{ key, from, halfway, between: to === undefined ? kept : renamed, to }]
  })
}

type Step = { layout: HomeLayout; moves: readonly Move[]; at: Date }

/**
 * The first step: no data is under a name that another vault may get. Only when that is recorded can a repetition tell
 * the data of a vault from the data that the second step has put in its place.
 */
async function stepAside({ layout, known, moves, at }: Step & { known: KnownVaults }): Promise<KnownVaults> {
  if (moves.length === 0) return known
  const next = { ...known, vaults: { ...known.vaults }, moving: { ...known.moving } }
  for (const { key, from, halfway, between, to } of moves) {
    if (from !== between) await carryState({ layout, from, to: between, at })
    if (halfway !== undefined && halfway !== to) await carryState({ layout, from: halfway, to: between, at })
    next.vaults[key] = between
    delete next.moving[key]
    if (to !== undefined) next.moving[key] = to
  }
  // Then everything that the second step finds under these names is what an earlier try of it has put there.
  for (const { from, halfway, between, to } of moves)
    if (to !== undefined && to !== halfway && (from !== between || halfway !== undefined))
      await setStateAside({ layout, name: to, at })
  await recordKnown(layout, next).catch(async (error: unknown) => {
    // It may be stored although its folder could not be synced. Then the data is where it says.
    if (!isSameRecord(await readKnown(layout), next)) throw error
  })
  return next
}

/** Undoes the first step. What cannot be undone is found under the identity of its vault the next time. */
async function stepBack({ layout, moves, at, log }: Step & { log: Log }): Promise<void> {
  for (const { from, between } of moves.toReversed()) {
    if (from === between) continue
    await carryState({ layout, from: between, to: from, at }).catch((error: unknown) => {
      log.error({ err: error, vault: from, kept: between }, 'what is known of a vault cannot be moved back')
    })
  }
}

/** The vaults whose data should have moved, and those that have the names under which it still is. */
function concerned({ strays, moves, found }: { strays: Stray[]; moves: Move[]; found: Found }): string[] {
  const keys = new Set([...strays, ...moves].map(({ key }) => key))
  const places = [...strays.map(({ to }) => to), ...moves.flatMap(({ from, halfway }) => [from, halfway ?? from])]
  const held = new Set(places.map(identityKey))
  return Array.from(found)
    .filter(([name, key]) => keys.has(key) || held.has(identityKey(name)))
    .map(([name]) => name)
}

type Recording = Pick<Options, 'layout' | 'log'> & { found: Found; known: KnownVaults }

async function recordFound({ layout, found, log, known }: Recording): Promise<void> {
  const before = await readKnown(layout)
  const now: KnownVaults = { ...known, home: await markOfHome(layout) }
  for (const [name, key] of found) {
    now.vaults[key] = name
    const root = join(layout.vaults, name)
    // Another directory may have the place of an open vault.
    const file = await readVaultFile(root).catch(() => undefined)
    const mark = file && keyOf(file.identity) === key ? await markOf(root) : undefined
    if (mark !== undefined) now.folders[key] = mark
  }
  if (isSameRecord(now, before)) return
  await recordKnown(layout, now).catch((error: unknown) => {
    const message =
      'the names of the vaults cannot be stored; a vault renamed while the daemon is stopped loses its history'
    log.warn({ err: error }, message)
  })
}

/**
 * The identity of a directory that has lost its `.svc/vault.json`. Undefined if it is another directory than the one
 * that was served under its name, or cannot be told from one: then it is a new vault. When all vaults have moved to
 * another disk, no directory is the one that was served, and the name decides.
 */
export async function lostIdentity({ layout, name, found }: Pick<Options, 'layout' | 'found'> & { name: string }) {
  const { vaults, folders, home } = await readKnown(layout)
  const held = new Set(keysOf(found).values())
  const identity = Object.keys(vaults).find((one) => vaults[one] === name && !held.has(one))
  if (identity === undefined) return undefined
  if (home !== (await markOfHome(layout))) return identity
  const mark = await markOf(join(layout.vaults, name))
  return mark !== undefined && mark === folders[identity] ? identity : undefined
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

/**
 * Tells whether a folder is the one of before. Its number is given to another one when it is gone; its time of birth is
 * not. Where there are no such times, the number of its `.svc` is taken: a folder that another program makes has none.
 */
async function markOf(folder: string): Promise<string | undefined> {
  const { ino, birthtimeMs } = (await statOf(folder)) ?? {}
  if (ino === undefined) return undefined
  if (birthtimeMs) return `${ino} ${birthtimeMs}`
  const meta = await statOf(vaultLayout(folder).meta)
  return meta && `${ino} .svc ${meta.ino}`
}

/** Tells whether all vaults are in another folder than before. */
async function markOfHome({ vaults }: HomeLayout): Promise<string | undefined> {
  const found = await statOf(vaults)
  return found && `${found.ino} ${found.birthtimeMs}`
}

const statOf = (folder: string) => stat(folder).catch(() => undefined)
