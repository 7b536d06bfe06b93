import { createLog } from '@svc/shared/kit/log.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { listOutbox } from '../mail/list-outbox.ts'
import type { Command } from './command.ts'

/**
 * Prints mails that were not sent. In a container the outbox page cannot be opened: it accepts local browsers only, and
 * a browser on the host is not local.
 */
export const outboxCommand: Command = {
  words: 'outbox',
  summary: 'Prints the newest 50 mails of a platform that has no SMTP_URL, with their links.',
  options: {},
  run: async ({ clock, env }) => {
    const { databaseUrl, mail } = readConfig(env)
    const log = createLog({ service: 'svc-admin', level: 'silent' })
    const { db, close } = openDatabase({ url: databaseUrl, log, max: 1 })
    try {
      const sent = mail.smtp === undefined ? {} : { next: 'SMTP_URL is set: mails are sent, and no longer kept here.' }
      return { ok: true, mails: await listOutbox({ db, clock }), ...sent }
    } finally {
      await close()
    }
  },
}
