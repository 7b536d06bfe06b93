import type { Db } from '../../control-plane/src/db/database.ts'
import type { Mail, MailTemplate } from '../../control-plane/src/mail/mail.ts'
import { until } from './until.ts'

type Shown = Pick<Mail, 'link'>

/** Waits for the newest mail to an address and returns it. */
export type Mailbox = (address: string) => Promise<Shown>

/** The secret in the fragment of a mailed link. */
export const mailedToken = ({ link }: Shown): string =>
  new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''

// Links that this process has already used to confirm a sign-up.
const confirmed = new Set<string>()

/**
 * Waits for the mail of a sign-up to an address and returns its secret. The address may already have received other
 * mails and used sign-up links.
 */
export async function signUpToken(mailbox: Mailbox, address: string): Promise<string> {
  let link = ''
  await until(`the sign-up is mailed to ${address}`, async () => {
    link = (await mailbox(address)).link
    return new URL(link).pathname === '/sign-up/confirm' && !confirmed.has(link)
  })
  confirmed.add(link)
  return mailedToken({ link })
}

/** Calls `find` until it returns a mail. */
export async function untilMailed<T>(address: string, find: () => Promise<T | undefined>): Promise<T> {
  let mail: T | undefined
  await until(`a mail came for ${address}`, async () => (mail = await find()) !== undefined)
  return mail!
}

const newestMail = async (db: Db, address: string, template?: MailTemplate) => {
  const row = await db
    .selectFrom('outbox')
    .selectAll()
    .where('recipient', '=', address)
    .$if(template !== undefined, (query) => query.where('template', '=', template ?? ''))
    .orderBy('id', 'desc')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, recipient: to, subject, body: text, link } = row
  return { id, to, template: row.template as Mail['template'], subject, text, html: '', link }
}

/** The mails that a platform without a mail server keeps in its database; only those of one template if it is named. */
export const databaseMailbox =
  (db: Db) =>
  (address: string, template?: MailTemplate): Promise<Mail> =>
    untilMailed(address, () => newestMail(db, address, template))

/**
 * Does `act`, waits for the mail that it causes, and returns both and the secret of its link. Mails are sent in the
 * background: after `act`, the newest mail to the address may still be an earlier one.
 */
export const databaseMailedBy =
  (db: Db) =>
  async <T>(address: string, template: MailTemplate, act: () => Promise<T>) => {
    const before = await newestMail(db, address, template)
    const answer = await act()
    const mail: Mail = await untilMailed(address, async () => {
      const newest = await newestMail(db, address, template)
      return newest?.id === before?.id ? undefined : newest
    })
    return { answer, mail, token: mailedToken(mail) }
  }
