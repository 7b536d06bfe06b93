/** Why no backups are taken by themselves after a reinstallation, and what ends it. */
export const RESTORE_FIRST =
  'It was installed again and may be empty. A system admin restores a backup, or takes one if nothing is missing'

const problems: Record<string, string> = {
  backup_store_unavailable: 'The storage cannot be reached; it is tried again',
  backup_store_refused: 'The storage refuses it',
  backup_store_full: 'The storage is full',
  backup_broken: 'The backup cannot be restored',
  storage_full: 'The volume has too little free room',
  daemon_offline: 'The host is not connected; it is tried again',
}

/** Why the last backup or drill failed, in words; includes the storage's own error code if there is one. */
export function backupProblem({ code, reason }: { code: string; reason?: string | undefined }): string {
  const words = problems[code] ?? 'It failed; it is tried again'
  return reason === undefined ? words : `${words} (${reason})`
}
