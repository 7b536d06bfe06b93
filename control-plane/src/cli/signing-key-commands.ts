import { Done } from '@svc/shared/wire/control-plane.api.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { RotateSigningKeysRequest, SigningKeyList } from '@svc/shared/wire/admin/admin.api.ts'
import { textOf, type Command } from './command.ts'

/** Commands for the keys that sign assertions. */
export const signingKeyCommands: Command[] = [
  {
    words: 'signing-keys list',
    summary: 'Lists the keys that sign assertions: which one signs, which comes next, and which still verify.',
    options: {},
    run: async (context) => (await context.withSession()).get('/api/admin/signing-keys', SigningKeyList),
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
      const request = parseOrFail(RotateSigningKeysRequest, {
        reason: textOf(context, 'reason'),
        immediate: context.values['immediate'] === true,
      })
      return (await context.withSession()).post('/api/admin/signing-keys/rotate', request, Done)
    },
  },
]
