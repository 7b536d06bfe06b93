import type { IdleSleep } from '../answers.ts'
import { api } from '../api.ts'
import { useSubmit } from '../app/submit.ts'
import { SelectField } from '../controls/field.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { idleWords } from './idle-words.ts'

/** Idle times to choose from, in seconds; 0 is never. */
const CHOICES = [300, 900, 1800, 3600, 14_400, 86_400, 0]

type Props = { orgId: string; idleSleep: IdleSleep; changed: () => void }

/** When the hosted daemon sleeps: the platform's time, or one that admins choose. */
export function IdleSleepField({ orgId, idleSleep, changed }: Props) {
  const { pending, failure, submit } = useSubmit()
  const own = idleSleep.from === 'organization' ? idleSleep.seconds : undefined
  // A time that was set through the API stays to be chosen.
  const choices = own === undefined || CHOICES.includes(own) ? CHOICES : [own, ...CHOICES]

  const change = async (value: string) => {
    await api.setIdleSleep(orgId, value === '' ? null : Number(value))
    changed()
  }

  return (
    <>
      <SelectField
        label="Sleep when nobody has used it for"
        hint="Opening a vault wakes it in a few seconds. Nothing is lost while it sleeps."
        value={own === undefined ? '' : String(own)}
        disabled={pending}
        onChange={({ target }) => void submit(() => change(target.value))}
      >
        <option value="">
          {own === undefined ? `${idleWords(idleSleep.seconds)} (default of the platform)` : 'Default of the platform'}
        </option>
        {choices.map((seconds) => (
          <option key={seconds} value={String(seconds)}>
            {idleWords(seconds)}
          </option>
        ))}
      </SelectField>
      <FailureNotice failure={failure} />
    </>
  )
}
