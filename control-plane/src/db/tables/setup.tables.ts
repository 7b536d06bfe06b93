/** The one-time link that makes the first system admin. At most one is open at a time. */
export type SetupLinkTable = {
  token_hash: string
  created_at: Date
}

export type SetupTables = {
  setup_links: SetupLinkTable
}
