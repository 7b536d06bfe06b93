import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '@svc/shared/kit/log.ts'
import { replaceFile } from '../files/durable-file.ts'
import { readOwnFile } from '../files/regular-file.ts'
import type { HomeLayout } from '../home/home-layout.ts'
import { carryState } from './carry-state.ts'

/** Under which name each identity was served last. */
const KnownVaults = z.object({ format: z.literal(1), vaults: z.record(z.string(), z.string()) })

const NAME = 'vaults.json'
const ON_ITS_WAY = '.renamed-'

type Options = {
  layout: HomeLayout
  /** The vaults that are there, by their names. */
  found: ReadonlyMap<string, { identity: string }>
  at: Date
  log: Log
}

/**
 * Gives what the daemon keeps of a vault, which lies under the vault's name, to the name that its directory got while no
 * daemon ran. Two steps, so that vaults may have swapped their names; each can be repeated after a kill.
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
    log.info({ vault: to, from }, 'a vault got another name')
  }
}

/** Writes down which vaults are served under which names. Those that are gone are kept for their return. */
export async function rememberVaults(layout: HomeLayout, open: ReadonlyMap<string, string>): Promise<void> {
  const known = await readKnown(layout)
  const names = new Set(open.keys())
  const gone = Object.entries(known).filter(([, name]) => !names.has(name))
  const now = [...gone, ...Array.from(open, ([name, identity]) => [identity, name] as const)]
  const vaults = Object.fromEntries(now.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  if (JSON.stringify(vaults) === JSON.stringify(known)) return
  await replaceFile(layout.daemon, NAME, `${JSON.stringify({ format: 1, vaults }, null, 2)}\n`)
}

/** Removes the index of vaults that are gone: it can be made anew, and nothing else ever removes it. */
export async function removeOldIndexes({ layout, found, log }: Omit<Options, 'at'>): Promise<void> {
  await mkdir(layout.index, { recursive: true })
  for (const name of await readdir(layout.index)) {
    if (found.has(name)) continue
    await rm(join(layout.index, name), { recursive: true, force: true })
    log.info({ vault: name }, 'removed the index of a vault that is gone')
  }
}

/** What cannot be read counts as unknown: it only serves to find what a renamed vault had. */
async function readKnown({ daemon }: HomeLayout): Promise<Record<string, string>> {
  const text = await readOwnFile(join(daemon, NAME)).catch(() => undefined)
  try {
    return text === undefined ? {} : KnownVaults.parse(JSON.parse(text)).vaults
  } catch {
    return {}
  }
}
