import type { ReactNode } from 'react'
import { Mark } from '../app/mark.tsx'
import { useTitle } from '../app/page.tsx'

type Props = { title: string; note?: ReactNode; below?: ReactNode; children: ReactNode }

/** A page in front of the app: one card in the middle. */
export function Door({ title, note, below, children }: Props) {
  useTitle(title)
  return (
    <main className="door">
      <div className="door-brand">
        <Mark size={40} />
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
  )
}
