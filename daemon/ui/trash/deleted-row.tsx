import type { ReactNode } from 'react'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { ago } from '../app/when.ts'

type Props = { path: string; by: string; at: string; children: ReactNode }

/** One deleted file. In the margin: who deleted it and when. Right of the line: its path and the actions. */
export function DeletedRow({ path, by, at, children }: Props) {
  const when = new Date(at)
  return (
    <li className="ledger-row">
      <p className="ledger-margin">
        <b>{by}</b>
        <time dateTime={at} title={when.toLocaleString()}>
          {ago(when, systemClock.now())}
        </time>
      </p>
      <div className="ledger-main">
        <span className="ledger-name">{path}</span>
        {children}
      </div>
    </li>
  )
}

/** Why a file could not be restored to its path, or deleted for good. */
export function refusedText(thrown: unknown, path: string): string {
  const refusal = asRefusal(thrown)
  if (refusal.code === 'forbidden') return 'Only who deleted it, or an admin, can restore it.'
  if (refusal.code === 'note_exists') return `There is a new ${path} meanwhile. Rename that one first.`
  return failureText(refusal).title
}
