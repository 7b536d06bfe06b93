import { z } from 'zod'

/**
 * One change of a vault. `outcome`: `pending` while it runs, `failed` when it changed nothing, `interrupted` when the
 * daemon was stopped before it was made.
 */
export const AuditEntry = z.object({
  at: z.string(),
  actor: z.string(),
  client: z.string().optional(),
  person: z.object({ id: z.string(), name: z.string() }).optional().describe('For whom an agent acted.'),
  integration: z.string().optional().describe('What the organization approved that agent as.'),
  registration: z.string().optional().describe('The id under which the control plane knows that agent.'),
  tool: z.string(),
  path: z.string(),
  to: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
  outcome: z.enum(['pending', 'done', 'failed', 'interrupted']).optional(),
})
