import { createLog } from '@svc/shared/kit/log.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { bootstrapAdmin } from '../setup/bootstrap-admin.ts'
import { maybe, type Command } from './command.ts'

/**
 * Creates the operator organization and its first admin. Writes to the database, because nobody can sign in as an admin
 * yet.
 */
export const bootstrapCommand: Command = {
  words: 'bootstrap',
  summary: 'Makes the operator organization and the first system admin, or a one-time link for that person.',
  options: {
    email: { type: 'string', describe: 'Confirmed address of somebody with an account. Without: a one-time link.' },
  },
  run: async (context) => {
    const { databaseUrl, operatorOrg = newId('org_'), baseUrl } = readConfig(context.env)
    const log = createLog({ service: 'svc-admin', level: 'silent' })
    const { db, close } = openDatabase({ url: databaseUrl, log, max: 2 })
    try {
      const email = maybe(context, 'email')
      const made = await bootstrapAdmin({ db, clock: context.clock, operatorOrg, baseUrl, email })
      return { ok: true, operatorOrg, ...made, next: `Start the control plane with OPERATOR_ORG=${operatorOrg}.` }
    } finally {
      await close()
    }
  },
}
