import type { Generated } from 'kysely'

export type OutboxTable = {
  id: Generated<number>
  recipient: string
  template: string
  subject: string
  body: string
  link: string
  created_at: Date
}

/** The one-time link to the outbox page, and the browsers that used it, both hashed. */
export type OutboxAccessTable = { kind: 'link' | 'browser'; secret_hash: string; expires_at: Date }

export type MailTables = {
  outbox: OutboxTable
  outbox_access: OutboxAccessTable
}
