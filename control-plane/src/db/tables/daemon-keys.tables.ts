import type { Generated } from 'kysely'

export type DaemonTable = {
  id: string
  org_id: string
  version: string | null
  last_seen_at: Date | null
  instance_conflict_at: Date | null
  instance_conflict_seen_at: Date | null
  created_at: Date
}
export type DaemonKeyTable = {
  id: Generated<number>
  daemon_id: string
  hash: Buffer
  last_four: string | null
  generation: number | null
  instance_key: string | null
  created_at: Date
  last_used_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}

export type DaemonKeysTables = {
  daemons: DaemonTable
  daemon_keys: DaemonKeyTable
}
