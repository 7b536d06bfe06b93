import { useSubmit } from '../app/submit.ts'
import { SelectField } from '../controls/field.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { idleWords } from './idle-words.ts'

/** An interval in seconds, and whether the organization chose it or the platform's default holds; 0 is never. */
export type Interval = { seconds: number; from: 'organization' | 'platform' }

type Props = {
  label: string
  hint: string
  interval: Interval
  choices: readonly number[]
  /** Null: the platform's default. */
  change: (seconds: number | null) => Promise<unknown>
}

/** The choice between the platform's default and an interval of the organization's own; it is stored when chosen. */
export function IntervalField({ label, hint, interval, choices, change }: Props) {
  const { pending, failure, submit } = useSubmit()
  const own = interval.from === 'organization' ? interval.seconds : undefined
  // One that was set through the API stays to be chosen.
  const shown = own === undefined || choices.includes(own) ? choices : [own, ...choices]

  return (
    <>
      <SelectField
        label={label}
        hint={hint}
        value={own === undefined ? '' : String(own)}
        disabled={pending}
        onChange={({ target: { value } }) => void submit(() => change(value === '' ? null : Number(value)))}
      >
        <option value="">
          {own === undefined ? `${idleWords(interval.seconds)} (default of the platform)` : 'Default of the platform'}
        </option>
        {shown.map((seconds) => (
          <option key={seconds} value={String(seconds)}>
            {idleWords(seconds)}
          </option>
        ))}
      </SelectField>
      <FailureNotice failure={failure} />
    </>
  )
}
