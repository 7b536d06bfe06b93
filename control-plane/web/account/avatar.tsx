import { initials } from './initials.ts'

/** A person as initials. A picture of another site would tell that site who looks at this page. */
export function Avatar({ name, email }: { name: string; email: string }) {
  return (
    <span className="avatar" aria-hidden="true">
      {initials(name) || initials(email)}
    </span>
  )
}
