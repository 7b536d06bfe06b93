import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Db } from '../../control-plane/src/db/database.ts'
import type { Mail, MailTemplate } from '../../control-plane/src/mail/mail.ts'

type Shown = Pick<Mail, 'link'>

/** Reads the newest mail to an address; waits for it. */
export type Mailbox = (address: string) => Promise<Shown>

/** The secret that a mailed link carries in its fragment. */
export const mailedToken = ({ link }: Shown): string =>
  new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''

/** The mailbox that `find` looks into. */
export async function untilMailed<T>(address: string, find: () => Promise<T | undefined>): Promise<T> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    const mail = await find()
    if (mail !== undefined) return mail
    await systemClock.sleep(50)
  }
  throw new Error(`no mail came for ${address}`)
}

/** Mails that a platform without a mail server keeps in its database; those of one template alone, where it is named. */
export const databaseMailbox =
  (db: Db) =>
  (address: string, template?: MailTemplate): Promise<Mail> =>
    untilMailed(address, async () => {
      const row = await db
        .selectFrom('outbox')
        .selectAll()
        .where('recipient', '=', address)
        .$if(template !== undefined, (query) => query.where('template', '=', template ?? ''))
        .orderBy('id', 'desc')
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { recipient: to, subject, body: text, link } = row
      return { to, template: row.template as Mail['template'], subject, text, html: '', link }
    })
