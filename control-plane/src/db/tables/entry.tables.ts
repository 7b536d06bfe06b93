import type { Generated } from 'kysely'
import type { Role } from '@svc/shared/wire/assertions.ts'

export type SigningKeyTable = {
  kid: string
  use: 'entry' | 'request' | 'service'
  public_x: string
  sealed_private: Buffer
  created_at: Date
  retired_at: Date | null
}
export type EntrySessionTable = {
  id_hash: Buffer
  user_id: string
  session_id: string
  org_id: string
  daemon_id: string
  name: string
  role: Role
  vaults: string[]
  created_at: Date
  expires_at: Date
  ended_at: Date | null
}
export type EntryAssertionUsedTable = { jti: string; expires_at: Date }
export type RevocationTable = { seq: Generated<number>; at: Date; kind: string; subject: string }

export type VaultOriginTable = { org_id: string; label: string; generation: Generated<number> }

export type EntryTables = {
  signing_keys: SigningKeyTable
  entry_sessions: EntrySessionTable
  entry_assertions_used: EntryAssertionUsedTable
  revocations: RevocationTable
  vault_origins: VaultOriginTable
}
