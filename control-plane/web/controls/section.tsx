import { useId, type ReactNode } from 'react'

type Props = { title: string; note?: ReactNode; action?: ReactNode; tone?: 'plain' | 'danger'; children?: ReactNode }

/** A titled part of a page: its name in the margin, the rest right of the line. */
export function Section({ title, note, action, tone = 'plain', children }: Props) {
  const id = useId()
  return (
    <section className={`card section section-${tone}`} aria-labelledby={id}>
      <header className="section-head">
        <h2 id={id}>{title}</h2>
      </header>
      <div className="section-body">
        {(note !== undefined || action !== undefined) && (
          <div className="section-lead">
            {note !== undefined && <p className="section-note">{note}</p>}
            {action}
          </div>
        )}
        {children}
      </div>
    </section>
  )
}
