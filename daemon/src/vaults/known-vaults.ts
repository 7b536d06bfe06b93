import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '@svc/shared/kit/log.ts'
import { replaceFile } from '../files/durable-file.ts'
import { readOwnFile } from '../files/regular-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { carryState } from './carry-state.ts'

/** The name under which each identity was served last. */
const KnownVaults = z.object({ format: z.literal(1), vaults: z.record(z.string(), z.string()) })

const NAME = 'vaults.json'
const ON_ITS_WAY = '.renamed-'

type Options = {
  layout: HomeLayout
  /** The vaults on disk, by name. */
  found: ReadonlyMap<string, { identity: string }>
  at: Date
  log: Log
}

/**
 * Moves the daemon's data about vaults to their new names when their directories were renamed while no daemon ran. It
 * takes two steps, because vaults may have swapped names; each step can be repeated after a kill.
 */
export async function carryRenamed({ layout, found, at, log }: Options): Promise<void> {
  const known = await readKnown(layout)
  const renamed = [...found].flatMap(([to, { identity }]) => {
    const from = known[identity]
    return from === undefined || from === to ? [] : [{ from, to, between: `${ON_ITS_WAY}${identity}` }]
  })
  for (const { from, between } of renamed) await carryState({ layout, from, to: between, at })
  for (const { from, to, between } of renamed) {
    await carryState({ layout, from: between, to, at })
    log.info({ vault: to, from }, 'a vault was renamed')
  }
}

/** Records which vaults are served under which names. Vaults that are gone stay recorded in case they return. */
export async function rememberVaults(layout: HomeLayout, open: ReadonlyMap<string, string>): Promise<void> {
  const known = await readKnown(layout)
  const names = new Set(open.keys())
  const gone = Object.entries(known).filter(([, name]) => !names.has(name))
  const now = [...gone, ...Array.from(open, ([name, identity]) => [identity, name] as const)]
  const vaults = Object.fromEntries(now.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  if (JSON.stringify(vaults) === JSON.stringify(known)) return
  await replaceFile(layout.daemon, NAME, `${JSON.stringify({ format: 1, vaults }, null, 2)}\n`)
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

/** A file that cannot be read counts as empty: it only serves to find the data of a renamed vault. */
async function readKnown({ daemon }: HomeLayout): Promise<Record<string, string>> {
  const text = await readOwnFile(join(daemon, NAME)).catch(() => undefined)
  try {
    return text === undefined ? {} : KnownVaults.parse(JSON.parse(text)).vaults
  } catch {
    return {}
  }
}
