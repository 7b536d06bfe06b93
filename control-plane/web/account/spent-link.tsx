import { Link } from 'react-router'
import { ApiFailure } from '../api-failure.ts'
import { FailureNotice } from '../controls/notice.tsx'
import { Door } from './door.tsx'

type Props = { title: string; code: string; to: string; action: string }

/** A mailed link that cannot be used, and the way to a new one. */
export function SpentLink({ title, code, to, action }: Props) {
  return (
    <Door title={title}>
      <div className="stack">
        <FailureNotice failure={new ApiFailure({ code, message: 'This link cannot be used. Ask for a new one.' }, 0)} />
        <Link to={to} className="button button-primary button-normal">
          {action}
        </Link>
      </div>
    </Door>
  )
}
