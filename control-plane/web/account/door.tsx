import type { ReactNode } from 'react'
import { Mark } from '@svc/shared/design/mark.tsx'
import { useTitle } from '../app/page.tsx'

type Props = { title: string; note?: ReactNode; below?: ReactNode; children: ReactNode }

/** A page outside the app, with one form. */
export function Door({ title, note, below, children }: Props) {
  useTitle(title)
  return (
    <div className="sheet sheet-small">
      <main className="door">
        <div className="door-brand">
          <Mark />
          <span>svc</span>
        </div>
        <div className="card door-card">
          <h1 id="page-title" tabIndex={-1}>
            {title}
          </h1>
          {note !== undefined && <p className="door-note">{note}</p>}
          {children}
        </div>
        {below !== undefined && <p className="door-below">{below}</p>}
      </main>
    </div>
  )
}
