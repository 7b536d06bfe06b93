import { z } from 'zod'
import { RevertedNote, RevertSince } from '../daemon/daemon-reverts.api.ts'
import { text } from '../text.ts'
import { pathArgument, vaultIdArgument } from './tool-arguments.ts'
import { defineTool } from './tool-definition.ts'

/**
 * An agent undoes its own changes. The first call shows the plan; only a call with the plan's `review` carries it out,
 * so an agent never reverts what it has not seen.
 */
export const revertChanges = defineTool({
  name: 'revert_changes',
  title: 'Revert own changes',
  description:
    'Take back what you changed since a time, in all notes or one; what others did since stays. Shows it first and answers review; pass that to do it.',
  effect: 'changes',
  idempotent: false,
  input: z.object({
    vaultId: vaultIdArgument,
    since: text()
      .refine(
        (since) => RevertSince.safeParse(since).success,
        'must be a time such as 2026-01-31T10:00:00Z, or a revision',
      )
      .describe('2026-01-31T10:00:00Z or rev'),
    path: pathArgument.optional(),
    review: text().min(1).max(64).optional(),
  }),
  output: z.object({
    done: z.boolean(),
    review: z.string(),
    notes: z.array(
      RevertedNote.pick({ path: true, action: true, to: true, baseline: true }).extend({ diff: z.string().optional() }),
    ),
    conflicts: z.array(z.object({ path: z.string(), line: z.int() })),
    left: z.array(z.object({ path: z.string(), reason: z.string() })),
    truncated: z.boolean(),
  }),
})
