import { fail } from '@svc/shared/wire/errors.ts'

/** Why a backup cannot be restored. A wrong key looks like a changed manifest. */
export type BreakReason = 'ChunkChanged' | 'ChunkMissing' | 'ManifestInvalid' | 'FileDiffers' | 'VaultsDiffer'

/** The failure of a backup that is damaged, or sealed with another key. */
export const backupBroken = (reason: BreakReason, cause?: unknown) => fail('backup_broken', { reason }, { cause })
