import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../audit/actor.ts'
import { parseNewPath, type VaultPath } from '../vaults/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import type { WriteNote, WrittenNote } from './write-note.ts'

/** What the writer believes to be there: nothing, one of these versions, anything, or it does not say. */
export type Expectation =
  { kind: 'absent' } | { kind: 'one_of'; baselines: readonly string[] } | { kind: 'any' } | { kind: 'unsaid' }

type Saving = { vault: Vault; path: VaultPath; content: string; expect: Expectation; by: Actor; tool: string }

/** Creates a note, or replaces the whole of one that is as the writer believes. */
export type SaveNote = (saving: Saving) => Promise<WrittenNote>

/** Creates or replaces a note, if it still is what the caller expects. */
export function saveNote({ writeNote }: { writeNote: WriteNote }): SaveNote {
  return ({ vault, path, content, expect, by, tool }) =>
    writeNote({
      vault,
      path,
      by,
      tool,
      next(current) {
        if (!current) {
          if (expect.kind === 'one_of' || expect.kind === 'any') throw fail('not_found')
          parseNewPath(path)
          return content
        }
        if (expect.kind === 'absent') throw fail('note_exists', { baseline: current.baseline })
        if (expect.kind === 'unsaid')
          throw fail('invalid_request', [{ path: 'if-match', message: 'is needed to replace a note that exists' }])
        if (expect.kind === 'one_of' && !expect.baselines.includes(current.baseline))
          throw fail('stale_doc', { baseline: current.baseline })
        return content
      },
    })
}
