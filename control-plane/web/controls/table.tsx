import type { ReactNode } from 'react'

/** The name of a column; `hidden` names are only read by screen readers. */
type Column = string | { hidden: string }

type Props = {
  columns: readonly Column[]
  /** `wide` keeps long cells on one line and scrolls; `text` wraps them. */
  kind: 'wide' | 'text'
  /** The rows, each a `tr` with a `th` of scope row. */
  children: ReactNode
}

/** A table that scrolls sideways where it does not fit, by the keyboard too. */
export function Table({ columns, kind, children }: Props) {
  return (
    <div className="table-scroll" tabIndex={0}>
      <table className={kind === 'wide' ? 'table table-wide' : 'table'}>
        <thead>
          <tr>
            {columns.map((column) => {
              const name = typeof column === 'string' ? column : column.hidden
              return (
                <th key={name} scope="col">
                  {name === column ? name : <span className="visually-hidden">{name}</span>}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
