import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { RotateSigningKeysRequest } from '@svc/shared/wire/admin/admin.api.ts'
import { textOf, type Command } from './command.ts'

/** Commands for the keys that sign assertions. */
export const signingKeyCommands: Command[] = [
  {
    words: 'signing-keys list',
    summary: 'Lists the keys that sign assertions: which one signs, which comes next, and which still verify.',
    options: {},
    run: async (context) => (await context.withSession()).call('GET /api/admin/signing-keys'),
  },
  {
    words: 'signing-keys rotate',
    summary: 'Replaces the keys that sign assertions. Daemons get the new keys five minutes before they sign.',
    options: {
      reason: { type: 'string', required: true, describe: 'Why; it goes into the audit.' },
      immediate: {
        type: 'boolean',
        describe: 'For keys that leaked: withdraws the old keys at once. Requests in flight may fail.',
      },
    },
    run: async (context) => {
      const body = parseOrFail(RotateSigningKeysRequest, {
        reason: textOf(context, 'reason'),
        immediate: context.values['immediate'] === true,
      })
      return (await context.withSession()).call('POST /api/admin/signing-keys/rotate', { body })
    },
  },
]
