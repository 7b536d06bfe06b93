import type { operationActions } from '@svc/shared/wire/managed-daemon.ts'

/** The names of the operations on hosted daemons, for people. */
export const actionNames: Record<(typeof operationActions)[number], string> = {
  provision: 'Make the daemon',
  image_roll: 'Update',
  comped_grant: 'Grant hosted access',
  storage_check: 'Check storage',
  storage_grow: 'Grow storage',
  key_rotation: 'Rotate connection key',
  sleep: 'Put to sleep',
  reinstall: 'Reinstall the daemon',
  backup: 'Take a backup',
  backup_drill: 'Prove the newest backup',
  restore: 'Restore a backup',
  deletion: 'Delete the organization',
}
