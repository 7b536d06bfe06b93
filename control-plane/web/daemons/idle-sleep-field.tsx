import type { IdleSleep } from '../answers.ts'
import { api } from '../api.ts'
import { IntervalField } from './interval-field.tsx'

const CHOICES = [300, 900, 1800, 3600, 14_400, 86_400, 0]

type Props = { orgId: string; idleSleep: IdleSleep; changed: () => void }

/** The idle time after which the hosted daemon sleeps: the platform's, or one that the organization's admins choose. */
export const IdleSleepField = ({ orgId, idleSleep, changed }: Props) => (
  <IntervalField
    label="Sleep when nobody has used it for"
    hint="Opening a vault wakes it in a few seconds. Nothing is lost while it sleeps."
    interval={idleSleep}
    choices={CHOICES}
    change={(seconds) => api.setIdleSleep(orgId, seconds).then(changed)}
  />
)
