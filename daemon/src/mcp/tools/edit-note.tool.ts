import { z } from 'zod'
import { EditNoteRequest } from '@svc/shared/wire/daemon/daemon.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { jsonValue, text } from '@svc/shared/wire/text.ts'
import type { EditNote } from '../../notes/edit-note.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { pathArgument, vaultIdArgument } from '../tool-arguments.ts'
import { defineTool } from '../tool.ts'

// Listed as one flat shape: clients send alternatives of a parameter as JSON text. Which fields belong together is
// checked by the request's own schema.
const FlatEdit = z.looseObject({
  oldText: text().optional().describe('Text to replace; must match once'),
  newText: text().optional(),
  before: text().optional().describe('Text right before oldText'),
  after: text().optional().describe('Text right after oldText'),
  occurrence: z.int().positive().optional().describe('Which match, from 1'),
  section: text().optional().describe('Heading, or Parent > Child'),
  op: z.enum(['replace', 'append', 'prepend', 'insert_before', 'insert_after']).optional(),
  text: text().optional().describe('For section'),
  property: text().optional().describe('Frontmatter key'),
  value: jsonValue().optional(),
  delete: z.boolean().optional(),
})

/** The agent's way to change a note: the same verb that REST uses. */
export const editNoteTool = ({ registry, editNote }: { registry: VaultRegistry; editNote: EditNote }) =>
  defineTool({
    name: 'edit_note',
    title: 'Edit a note',
    description:
      'Change passages of a note. Call read_note first and pass its baseline. Each edit is {oldText,newText}, {section,op,text} or {property,value|delete}; all apply to that baseline, or none. stale_doc: the note changed, use the fresh baseline given. match_count: lengthen oldText, or give before, after or occurrence. Answers the new baseline.',
    effect: 'changes',
    input: z.object({
      vaultId: vaultIdArgument,
      path: pathArgument,
      baseline: text().describe('From read_note or the last edit'),
      edits: z.array(FlatEdit).min(1).max(20),
      onStale: z.enum(['reject', 'rebase']).default('reject').describe('rebase: apply if what you touch is unchanged'),
      dryRun: z.boolean().default(false),
    }),
    output: z.object({
      path: z.string(),
      baseline: z.string(),
      diff: z.string(),
      matched: z.array(z.string()),
      dryRun: z.boolean(),
    }),
    async run({ vaultId, path, ...request }, by) {
      const edit = parseOrFail(EditNoteRequest, request)
      return editNote({ vault: registry.find(vaultId), path: parseVaultPath(path), ...edit, by, tool: 'edit_note' })
    },
  })
