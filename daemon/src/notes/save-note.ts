import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { Expectation } from '../files/expectation.ts'
import { parseNewPath, type VaultPath } from '../files/vault-path.ts'
import type { WrittenLines } from '../vaults/vault-change.ts'
import type { Vault } from '../vaults/vault.ts'
import type { WriteNote, WrittenNote } from './write-note.ts'

type Saving = {
  vault: Vault
  path: VaultPath
  content: string
  expect: Expectation
  by: Actor
  tool: string
  /** The authors of the lines, if `by` did not write all of them. */
  written?: WrittenLines
}

/** Creates a note, or replaces one that still has the content that the writer saw. */
export type SaveNote = (saving: Saving) => Promise<WrittenNote>

/** Creates or replaces a note, if it still is what the caller expects. */
export function createSaveNote({ writeNote }: { writeNote: WriteNote }): SaveNote {
  return ({ vault, path, content, expect, by, tool, written }) =>
    writeNote({
      vault,
      path,
      by,
      tool,
      ...(written && { written: () => written }),
      ...(expect.kind === 'absent' && { mustBeNew: true }),
      next(current) {
        if (!current) {
          if (expect.kind === 'one_of' || expect.kind === 'any') throw fail('not_found')
          parseNewPath(path)
          return content
        }
        if (expect.kind === 'absent') throw fail('note_exists', { path: current.path, baseline: current.baseline })
        if (expect.kind === 'unsaid')
          throw fail('invalid_request', [{ path: 'if-match', message: 'is needed to replace a note that exists' }])
        if (expect.kind === 'one_of' && !expect.baselines.includes(current.baseline))
          throw fail('stale_doc', { baseline: current.baseline })
        return content
      },
    })
}
