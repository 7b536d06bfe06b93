import { useId, type ReactNode } from 'react'

type Props = { title: string; note?: ReactNode; action?: ReactNode; tone?: 'plain' | 'danger'; children?: ReactNode }

/** A titled part of a page, as a card. */
export function Section({ title, note, action, tone = 'plain', children }: Props) {
  const id = useId()
  return (
    <section className={`card section section-${tone}`} aria-labelledby={id}>
      <header className="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p className="section-note">{note}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
