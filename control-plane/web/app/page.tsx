import { useEffect, type ReactNode } from 'react'

type Props = {
  title: string
  /** The part of the page that is shown. It comes first in the title of the browser's tab. */
  part?: string
  /** Small text above or beside the title, such as the way back. */
  above?: ReactNode
  badge?: ReactNode
  /** Content of the margin beside the title; above the title on a phone. */
  margin?: ReactNode
  note?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A page with its title, which also names the tab and receives the focus after navigation. */
export function Page({ title, part, above, badge, margin, note, action, children }: Props) {
  useTitle(part === undefined ? title : `${part} · ${title}`)
  return (
    <>
      <header className="page-head">
        {margin !== undefined && <div className="page-margin">{margin}</div>}
        <div className="page-title">
          {above}
          <h1 id="page-title" tabIndex={-1}>
            {title}
            {badge}
          </h1>
          {note !== undefined && <p className="page-note">{note}</p>}
        </div>
        {action !== undefined && <div className="page-action">{action}</div>}
      </header>
      {children}
    </>
  )
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
}
