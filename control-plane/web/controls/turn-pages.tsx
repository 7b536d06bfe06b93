import { Button } from './button.tsx'

type Props = {
  /** Where the shown page begins; undefined for the newest. */
  cursor: string | undefined
  nextCursor: string | undefined
  turnTo(cursor: string | undefined): void
}

/** The buttons below a list that is read page by page, newest first. */
export function TurnPages({ cursor, nextCursor, turnTo }: Props) {
  if (cursor === undefined && nextCursor === undefined) return null
  return (
    <div className="button-row">
      {cursor !== undefined && (
        <Button size="small" onClick={() => turnTo(undefined)}>
          Newest
        </Button>
      )}
      {nextCursor !== undefined && (
        <Button size="small" onClick={() => turnTo(nextCursor)}>
          Older
        </Button>
      )}
    </div>
  )
}
