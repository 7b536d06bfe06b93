/** What must end on every replica: all entries of a subject, or the tunnels of keys that are no longer valid. */
export type Revocation = {
  kind: 'entry_session' | 'user_session' | 'user' | 'organization' | 'daemon_keys' | 'vault_origin' | 'signing_keys'
  /** Id of that session, user or organization. */
  subject: string
}
