import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { Tree, VaultInfo, type TreeNode } from '@svc/shared/wire/daemon/daemon.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { readMountedFolders } from '../files/mounted-folders.ts'
import { isVaultDirectory } from '../vaults/create-vault.ts'
import { behindHistory, isBelow, readDisk, type DiskOfVault, type Finding } from './check-vault.ts'
import type { Command, CommandContext } from './command.ts'
import { refusedVaults } from './refused-vaults.ts'
import { findDaemon, type RunningDaemon } from './running-daemon.ts'

type Report = {
  vault: string
  notes: number
  attachments: number
  index: string
  history: string
  problems: Finding[]
  remarks: Finding[]
}

const SHOWN = 20

/** `svcd doctor`: checks whether what the daemon knows matches the disk. */
export const doctorCommand: Command = {
  arguments: '[VAULT]',
  summary: 'compares disk, what the daemon knows, index and history, and names files that cannot be read',
  options: {},
  optionHelp: {},
  async run(context) {
    const { layout, args, progress } = context
    const daemon = await findDaemon(layout)
    const found = await readdir(layout.vaults, { withFileTypes: true }).catch(() => [])
    const ids = found.filter(isVaultDirectory).map(({ name }) => name)
    if (args[0] !== undefined && !ids.includes(args[0])) throw fail('not_found', { vault: args[0] })

    const reports: Report[] = []
    for (const id of ids.toSorted()) {
      if (args[0] !== undefined && args[0] !== id) continue
      progress(`reading ${id}`)
      reports.push(await examine(id, daemon, context))
    }
    const isHealthy = reports.every(({ problems }) => problems.length === 0)
    const running = daemon
      ? `The daemon runs at ${daemon.address}.`
      : 'No daemon runs on this home; the index is compared when one starts.'
    return {
      data: { healthy: isHealthy, running: daemon !== undefined, vaults: reports },
      text: [running, ...reports.map(asText), isHealthy ? 'No problem was found.' : 'There are problems.'].join('\n'),
      exitCode: isHealthy ? exitCodes.ok : exitCodes.failure,
    }
  },
}

async function examine(id: string, daemon: RunningDaemon | undefined, { layout, config }: CommandContext) {
  const root = join(layout.vaults, id)
  const mounted = await readMountedFolders(join(layout.mounted, `${id}.json`)).catch(() => [])
  const disk = await readDisk({ root, maxNoteBytes: config.maxNoteBytes, mounted })
  const behind = await behindHistory(join(layout.history, `${id}.git`), disk, config.searchPath)
  const known = daemon ? await compareServed(id, daemon, disk) : { index: 'not compared', problems: [] }
  const history =
    behind === undefined
      ? 'none that can be read'
      : behind.length === 0
        ? 'equals the disk'
        : `${behind.length} notes differ from their last revision; they are committed within minutes, or at the next start`
  const report: Report = {
    vault: id,
    notes: disk.notes.length,
    attachments: disk.attachments.length,
    index: known.index,
    history,
    problems: [...disk.broken, ...known.problems],
    remarks: disk.remarks,
  }
  return report
}

type Compared = { index: string; problems: Finding[] }

/** As `compare`; that the daemon does not serve a vault is a problem of that vault alone. */
async function compareServed(id: string, daemon: RunningDaemon, disk: DiskOfVault): Promise<Compared> {
  try {
    return await compare(id, daemon, disk)
  } catch (error) {
    if (!isFailure(error)) throw error
    const refused = (await refusedVaults(daemon)).find(({ name }) => name === id)
    const unseen = error.code === 'not_found' ? 'the daemon has not seen it yet' : error.message
    return { index: 'not compared', problems: [{ path: '.', problem: `is not served: ${refused?.reason ?? unseen}` }] }
  }
}

/** Compares what the running daemon knows of a vault with the disk. */
async function compare(id: string, daemon: RunningDaemon, disk: DiskOfVault): Promise<Compared> {
  const url = `/vaults/${encodeURIComponent(id)}`
  const { vault } = await daemon.read(VaultInfo, url)
  if (vault.index.state === 'loading') return { index: 'still being read', problems: [] }
  const files = filesOf((await daemon.read(Tree, `${url}/tree`)).tree)
  const known = new Map(files)
  const there = new Map<string, 'note' | 'attachment'>()
  for (const path of disk.notes) there.set(path, 'note')
  for (const path of disk.attachments) there.set(path, 'attachment')
  const problems: Finding[] = []
  for (const [path, kind] of there)
    if (!known.has(path)) problems.push({ path, problem: 'is on disk, and the daemon does not know it' })
    else if (known.get(path) !== kind)
      problems.push({ path, problem: `is a ${kind}, and the daemon takes it for another kind` })
  const broken = new Set(disk.broken.map(({ path }) => path))
  for (const path of known.keys())
    if (!there.has(path) && !broken.has(path) && !isBelow(disk.away, path))
      problems.push({ path, problem: 'is known to the daemon, and not on disk' })
  const { notes } = vault.index
  const isEqual = notes === vault.notes
  if (!isEqual) problems.push({ path: '.', problem: `the index has ${notes} notes, the daemon knows ${vault.notes}` })
  return { index: isEqual ? `has all ${notes} notes` : 'differs', problems }
}

const filesOf = (nodes: readonly TreeNode[]): [string, string][] =>
  nodes.flatMap((node) => (node.kind === 'folder' ? filesOf(node.children) : [[node.path, node.kind]]))

function asText({ vault, notes, attachments, index, history, problems, remarks }: Report): string {
  const list = (mark: string, findings: readonly Finding[]) => {
    const more = findings.length > SHOWN ? [`  ${mark} and ${findings.length - SHOWN} more: see --json`] : []
    return [...findings.slice(0, SHOWN).map(({ path, problem }) => `  ${mark} ${path} ${problem}`), ...more]
  }
  const head = `${vault}: ${notes} notes, ${attachments} attachments; index: ${index}; history: ${history}`
  return [head, ...list('PROBLEM', problems), ...list('note:', remarks)].join('\n')
}
