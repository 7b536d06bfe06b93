import type { ReactNode } from 'react'

export type Tone = 'good' | 'busy' | 'idle' | 'warning' | 'bad'

/** A state in a word, with a dot of its colour; the word alone carries the meaning. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`status status-${tone}`}>
      <span className="status-dot" aria-hidden="true" />
      {children}
    </span>
  )
}

/** A small label beside a name. */
export function Badge({ children, tone = 'plain' }: { children: ReactNode; tone?: 'plain' | 'accent' }) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}

/** Nothing here yet, and what to do about it. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="empty-text">{children}</div>}
      {action}
    </div>
  )
}
