import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { AuditChain } from '@svc/shared/wire/audit.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { verifyExport } from '../audit/export-audit.ts'
import { maybe, textOf, UsageError, type Command } from './command.ts'

const describe = 'An organization id, or platform.'

/** Commands of the audit: verify it in the database, export it, verify an export elsewhere. */
export const auditCommands: Command[] = [
  {
    words: 'audit verify',
    summary: 'Recomputes the chains and names the first broken row of each; exit code 1 if there is one.',
    options: {
      chain: { type: 'string', describe: `${describe} All when absent.` },
      file: { type: 'string', describe: 'An export to verify here, without a control plane.' },
      'public-key': { type: 'string', describe: 'Key that the export must be signed with; else the one it names.' },
    },
    run: async (context) => {
      const file = maybe(context, 'file')
      if (file !== undefined) {
        const lines = createInterface({ input: createReadStream(file) })
        const found = await verifyExport(lines, maybe(context, 'public-key')).catch((error: unknown) => {
          throw new UsageError(`${file} is no audit export: ${error instanceof Error ? error.message : ''}`)
        })
        if (found.broken) throw fail('audit_broken', found)
        return { ok: true, ...found }
      }
      const asked = maybe(context, 'chain')
      const chain = asked === undefined ? undefined : parseOrFail(AuditChain, asked)
      const found = await (await context.withSession()).call('GET /api/admin/audit/verify', { query: { chain } })
      if (!found.valid) throw fail('audit_broken', { broken: found.broken })
      return found
    },
  },
  {
    words: 'audit export',
    summary: 'Writes one chain as lines of JSON, with a signed head. What ends it early is said on standard error.',
    options: { chain: { type: 'string', required: true, describe } },
    run: async (context) => {
      const chain = parseOrFail(AuditChain, textOf(context, 'chain'))
      return (await context.withSession()).exportAudit(chain)
    },
  },
]
