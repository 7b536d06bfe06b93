import { createLog } from '@svc/shared/kit/log.ts'
import { ResetTwoFactorRequest } from '@svc/shared/wire/accounts.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { createResetTwoFactor } from '../accounts/reset-two-factor.ts'
import { createAuditTrail, TERMINAL } from '../audit/audit-trail.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { textOf, type Command, type CommandContext } from './command.ts'

type Request = { email: string; reason: string }

/** Needs no system admin who can sign in: access to the platform's environment is enough. */
async function resetOnDatabase({ env, clock, say }: CommandContext, request: Request) {
  const { databaseUrl, authSecret } = readConfig(env)
  const log = createLog({ service: 'svc-admin', level: 'silent' })
  const { db, close } = openDatabase({ url: databaseUrl, log, max: 2 })
  try {
    const reset = createResetTwoFactor({
      db,
      clock,
      recordAudit: createAuditTrail({ db, clock, log, secret: authSecret }).insertIn,
      sendNotice: (_notice, to) => say(`No mail was sent. Tell ${to} that two-factor sign-in was reset.`),
    })
    return { ok: true, ...(await reset({ ...request, actor: TERMINAL })) }
  } finally {
    await close()
  }
}

/** Commands that change accounts of people. */
export const peopleCommands: Command[] = [
  {
    words: 'two-factor reset',
    summary: 'Takes a lost authenticator app off an account. It ends the sessions of that person and is audited.',
    options: {
      person: { type: 'string', required: true, describe: 'E-mail address of the account.' },
      reason: { type: 'string', required: true, describe: 'Why; it goes into the audit.' },
      'on-database': {
        type: 'boolean',
        describe: 'Works on the database, as bootstrap does: for the only system admin, who cannot sign in.',
      },
    },
    run: async (context) => {
      const request = parseOrFail(ResetTwoFactorRequest, {
        email: textOf(context, 'person'),
        reason: textOf(context, 'reason'),
      })
      if (context.values['on-database'] === true) return resetOnDatabase(context, request)
      return (await context.withSession()).call('POST /api/admin/people/two-factor/reset', { body: request })
    },
  },
]
