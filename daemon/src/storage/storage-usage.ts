import { lstat, readdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import type { StorageUsage } from '@svc/shared/wire/daemon/daemon.api.ts'
import { isVisibleName } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { slices } from '../watch/slices.ts'

/** Bytes used, by kind, and bytes free on the volume. */
export type Usage = z.infer<typeof StorageUsage>['storage']

/** Usage of one vault, as last known while its folder is away; files in its hidden folders count as other. */
export async function vaultUsage(vault: Vault): Promise<Usage> {
  await vault.listed
  return knownUsage(vault)
}

async function knownUsage(vault: Vault): Promise<Usage> {
  const byKind = { notes: 0, attachments: 0, other: 0 }
  const pause = slices()
  for (const { size, isAttachment } of vault.manifest.sizes()) {
    byKind[isAttachment ? 'attachments' : 'notes'] += size
    await pause()
  }

  for (const name of await readdir(vault.layout.root).catch(() => []))
    if (!isVisibleName(name)) byKind.other += await bytesBelow(join(vault.layout.root, name))
  return { usedBytes: sum(byKind), freeBytes: await freeBytes(vault.layout.root), byKind }
}

/**
 * Usage of a whole home; the daemon's own files count as other. A vault that cannot be listed keeps nobody from seeing
 * how full the volume is.
 */
export async function homeUsage(vaults: readonly Vault[], layout: { home: string; daemon: string }): Promise<Usage> {
  const byKind = { notes: 0, attachments: 0, other: await bytesBelow(layout.daemon) }
  const unlisted: string[] = []
  for (const vault of vaults) {
    await vault.listed.catch(() => unlisted.push(vault.id))
    const usage = await knownUsage(vault)
    for (const kind of ['notes', 'attachments', 'other'] as const) byKind[kind] += usage.byKind[kind]
  }
  return {
    usedBytes: sum(byKind),
    freeBytes: await freeBytes(layout.home),
    byKind,
    ...(unlisted.length > 0 && { unlisted }),
  }
}

const sum = ({ notes, attachments, other }: Usage['byKind']): number => notes + attachments + other

/** Of a folder that is away: what is free at its place. */
async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path).catch(() => statfs(dirname(path)))
  return bavail * bsize
}

/** Files that disappear during the count do not count. */
async function bytesBelow(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => undefined)
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0
  let bytes = 0
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesBelow(join(path, name))
  return bytes
}
