import type { Generated } from 'kysely'

export type VaultOriginTable = { org_id: string; label: string; generation: Generated<number> }

declare module '../db/database.ts' {
  interface Database {
    vault_origins: VaultOriginTable
  }
}
