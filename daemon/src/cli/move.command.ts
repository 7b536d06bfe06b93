import { MoveResult } from '@svc/shared/wire/daemon/daemon-moves.api.ts'
import type { Command } from './command.ts'
import { jsonRequest } from './running-daemon.ts'

/** `svcd move`: moves or renames within a vault. */
export const moveCommand: Command = {
  arguments: 'VAULT FROM TO',
  summary: 'moves or renames a note, an attachment or a folder, with the links to it',
  options: { 'dry-run': { type: 'boolean' }, 'leave-links': { type: 'boolean' } },
  optionHelp: { 'dry-run': 'tells what would change, and changes nothing', 'leave-links': 'rewrites no link' },
  async run({ daemon, args: [vault = '', from, to], options }) {
    const wish = { from, to, dryRun: options['dry-run'] === true, rewriteLinks: options['leave-links'] !== true }
    const path = `/vaults/${encodeURIComponent(vault)}/move`
    const { ok: _ok, ...moved } = await (await daemon()).read(MoveResult, path, jsonRequest(wish))
    const { files, linksTotal, notesTotal, notes, dryRun } = moved
    const lines = notes.flatMap((note) =>
      note.changes.map(({ line, before, after }) => `  ${note.path}:${line}: ${before} → ${after}`),
    )
    const verb = dryRun ? 'would move' : 'moved'
    const head = `${moved.from} ${verb} to ${moved.to}: ${files} files, ${linksTotal} links in ${notesTotal} notes`
    return { data: moved, text: [head, ...lines].join('\n') }
  },
}
