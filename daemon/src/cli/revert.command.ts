import { RevertResult } from '@svc/shared/wire/daemon/daemon-reverts.api.ts'
import type { Command } from './command.ts'
import { jsonRequest } from './running-daemon.ts'

const verbs = { edit: 'edited', trash: 'moved to the trash', bring_back: 'brought back', move_back: 'moved back' } as const // prettier-ignore

/** `svcd revert`: reverts what one agent or author did. */
export const revertCommand: Command = {
  arguments: 'VAULT',
  summary: 'takes back what one agent or author did, and keeps what others did since',
  options: {
    client: { type: 'string' },
    actor: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    path: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  needs: [['client', 'actor'], ['since']],
  optionHelp: {
    client: 'name of the agent whose changes are taken back',
    actor: 'id of the author whose changes are taken back, as the history shows it',
    since: 'time (2026-01-31T10:00:00Z) or revision after which changes are taken back',
    until: 'time, or last revision, until which changes are taken back; later ones of the same author stay',
    path: 'takes back changes of this note alone',
    'dry-run': 'shows what would change, and changes nothing',
  },
  async run({ daemon, args: [vault = ''], options }) {
    const dryRun = options['dry-run'] === true
    const { client, actor, since, until, path } = options
    const wish = { client, actor, since, until, path, dryRun }
    const url = `/vaults/${encodeURIComponent(vault)}/revert`
    const { ok: _ok, ...result } = await (await daemon()).read(RevertResult, url, jsonRequest(wish))
    const lines = result.notes.flatMap((note) => [
      `${note.path}: ${dryRun ? 'would be ' : ''}${verbs[note.action]}${note.to === undefined ? '' : ` to ${note.to}`}`,
      ...(dryRun && note.diff !== '' ? [note.diff.trimEnd()] : []),
      ...note.conflicts.map(({ line }) => `  line ${line} stays: others have changed it since`),
    ])
    const left = result.left.map((note) => `${note.path}: stays: ${note.reason}`)
    const text = [...lines, ...left].join('\n')
    return { data: result, text: text === '' ? 'there is nothing to take back' : text }
  },
}
