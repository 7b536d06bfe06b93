import { useState, type FormEvent, type ReactNode } from 'react'
import { fieldProblems, type ApiFailure } from '../api-failure.ts'
import { useSubmit } from '../app/submit.ts'
import { Button } from '../controls/button.tsx'
import { FailureNotice } from '../controls/notice.tsx'

type Props = {
  submit: string
  /** Called with the values of the named inputs. */
  onSubmit: (values: Record<string, string>) => Promise<unknown>
  children: (problems: Map<string, string>) => ReactNode
  /** Replaces the display of a failure; returns undefined for the default one. */
  explainFailure?: (failure: ApiFailure) => ReactNode
}

/**
 * A form of named inputs with one button. A problem with a field shows at the field, any other failure above the
 * button.
 */
export function AccountForm({ submit: submitLabel, onSubmit, children, explainFailure }: Props) {
  const { pending, failure, submit } = useSubmit()
  const [names, setNames] = useState<string[]>([])
  const problems = failure === undefined ? new Map<string, string>() : fieldProblems(failure)
  const allShown = problems.size > 0 && [...problems.keys()].every((name) => names.includes(name))

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values: Record<string, string> = {}
    for (const [name, value] of new FormData(event.currentTarget)) if (typeof value === 'string') values[name] = value
    setNames(Object.keys(values))
    void submit(() => onSubmit(values))
  }

  return (
    <form className="form" onSubmit={send}>
      {children(problems)}
      {failure !== undefined && !allShown && (explainFailure?.(failure) ?? <FailureNotice failure={failure} />)}
      <Button type="submit" look="primary" pending={pending}>
        {submitLabel}
      </Button>
    </form>
  )
}
