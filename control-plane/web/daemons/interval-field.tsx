import { useSubmit } from '../app/submit.ts'
import { SelectField } from '../controls/field.tsx'
import { FailureNotice } from '../controls/notice.tsx'
import { idleWords } from './idle-words.ts'

/** An interval in seconds, and where it comes from; 0 means never. */
export type Interval = { seconds: number; from: 'organization' | 'platform' }

type Props = {
  label: string
  hint: string
  interval: Interval
  choices: readonly number[]
  /** Null stands for the platform's default. */
  change: (seconds: number | null) => Promise<unknown>
}

/** A choice between the platform's default and an own interval of the organization. A choice is stored at once. */
export function IntervalField({ label, hint, interval, choices, change }: Props) {
  const { pending, failure, submit } = useSubmit()
  const own = interval.from === 'organization' ? interval.seconds : undefined
  // An interval that was set through the API is offered as a further choice.
  const shown = own === undefined || choices.includes(own) ? choices : [own, ...choices]

  return (
    <>
      <SelectField
        label={label}
        hint={hint}
        value={own === undefined ? '' : String(own)}
        // Not disabled: it would lose the focus. One more choice meanwhile is ignored.
        aria-disabled={pending || undefined}
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
