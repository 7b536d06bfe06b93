/** The one-time link that makes the first system admin. At most one is open at a time. */
export type SetupLinkTable = {
  token_hash: string
  created_at: Date
}

declare module '../db/database.ts' {
  interface Database {
    setup_links: SetupLinkTable
  }
}
