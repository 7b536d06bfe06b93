import type { BackupState } from '../answers.ts'
import { api } from '../api.ts'
import { IntervalField } from './interval-field.tsx'

const CHOICES = [3600, 21_600, 43_200, 86_400, 604_800, 0]

type Props = { orgId: string; backup: BackupState; changed: () => void }

/** The backup interval of the hosted daemon: the platform's, or one that the organization's admins choose. */
export const BackupIntervalField = ({ orgId, backup, changed }: Props) => (
  <IntervalField
    label="Back up every"
    hint="A host that nobody has used since its last backup is left asleep. With “Never” no backup is taken by itself."
    interval={{ seconds: backup.everySeconds, from: backup.from }}
    choices={CHOICES}
    change={(seconds) => api.setBackupInterval(orgId, seconds).then(changed)}
  />
)
