import type { z } from 'zod'
import { isFailure, type ErrorCode } from '@svc/shared/wire/errors.ts'
import { FlushResult, RelayStatus, VaultInfo, VaultList } from '@svc/shared/wire/daemon/daemon.api.ts'
import { columns, readableBytes, type Command, type CommandContext } from './command.ts'
import { refusedVaults } from './refused-vaults.ts'
import type { RunningDaemon } from './running-daemon.ts'

type Info = z.infer<typeof VaultInfo>['vault']
type FailingVault = { id: string; displayName: string; error: { code: ErrorCode; message: string } }

/** All vaults; one that fails, such as on a failing disk, hides none of the others. */
async function vaultsOf(daemon: RunningDaemon): Promise<(Info | FailingVault)[]> {
  const { vaults } = await daemon.read(VaultList, '/vaults')
  const infos: (Info | FailingVault)[] = []
  for (const { id, displayName } of vaults)
    try {
      infos.push((await daemon.read(VaultInfo, `/vaults/${encodeURIComponent(id)}`)).vault)
    } catch (error) {
      if (!isFailure(error)) throw error
      infos.push({ id, displayName, error: { code: error.code, message: error.message } })
    }
  return infos
}

const isFailing = (vault: Info | FailingVault): vault is FailingVault => 'error' in vault

/** `svcd status`: the daemon of this home. */
export const statusCommand: Command = {
  arguments: '',
  summary: 'reports whether a daemon runs on SVC_HOME, its address, and the state of its vaults',
  options: {},
  optionHelp: {},
  async run({ layout, daemon: find }: CommandContext) {
    const daemon = await find()
    const vaults = await vaultsOf(daemon)
    const refused = await refusedVaults(daemon)
    const { relay } = await daemon.read(RelayStatus, '/relay/status')
    const { address, pid, version } = daemon
    const failing = vaults.filter(isFailing).length
    const loading = vaults.filter((vault) => !isFailing(vault) && vault.index.state === 'loading').length
    const states = [
      ...(loading > 0 ? [`${loading} still being read`] : []),
      ...(failing > 0 ? [`${failing} cannot be read: svcd vaults says why`] : []),
      ...(refused.length > 0 ? [`${refused.length} not served: svcd vaults says why`] : []),
    ]
    const rows = [
      ['Address', address],
      ['Process', `${pid}, version ${version}`],
      ['Home', layout.home],
      ['Vaults', [vaults.length, ...states].join(', ')],
      [
        'Relay',
        relay.configured ? (relay.controlConnected ? 'connected' : 'not connected: svcd diag says why') : 'none',
      ],
    ]
    const data = { running: true, address, pid, version, home: layout.home, vaults, refusedVaults: refused, relay }
    return { data, text: columns(rows) }
  },
}

/** `svcd vaults`: the vaults of this home. */
export const vaultsCommand: Command = {
  arguments: '',
  summary: 'lists the vaults with their notes, attachments and size',
  options: {},
  optionHelp: {},
  async run({ daemon: find }) {
    const daemon = await find()
    const vaults = await vaultsOf(daemon)
    const refused = await refusedVaults(daemon)
    const rows = [
      ...vaults.map((vault) =>
        isFailing(vault)
          ? [vault.id, vault.displayName, '', '', '', 'cannot be read', vault.error.message]
          : rowOf(vault),
      ),
      ...refused.map(({ name, reason }) => [name, '', '', '', '', 'not served', reason]),
    ]
    return {
      data: { vaults, refusedVaults: refused },
      text: rows.length === 0 ? 'There is no vault.' : columns(rows),
    }
  },
}

const rowOf = ({ id, displayName, notes, attachments, bytes, index, unparsed, unreachable = [], unread }: Info) => [
  id,
  displayName,
  `${notes} notes`,
  `${attachments} attachments`,
  readableBytes(bytes),
  index.state === 'ready' ? '' : 'still being read',
  [
    ...(unparsed.count > 0 ? [`${unparsed.count} notes with unreadable properties`] : []),
    ...unreachable.map((folder) => `the disk of ${folder} is away`),
    ...(unread ? [`${unread.count} files and folders cannot be read, such as ${unread.paths[0]}`] : []),
  ].join('; '),
]

/** `svcd flush`: makes all accepted changes durable. */
export const flushCommand: Command = {
  arguments: '[VAULT]',
  summary: 'makes all accepted changes durable, for example before a backup',
  options: {},
  optionHelp: {},
  async run({ daemon, args: [vault] }) {
    const path = vault === undefined ? '/ops/flush' : `/vaults/${encodeURIComponent(vault)}/ops/flush`
    const { flushed, durableAsOf } = await (await daemon()).read(FlushResult, path, { method: 'POST' })
    return { data: { flushed, durableAsOf }, text: `Everything accepted until ${durableAsOf} is on disk.` }
  },
}
