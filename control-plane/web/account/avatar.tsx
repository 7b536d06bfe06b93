import { initials } from './initials.ts'

/** A person as initials. A picture of another site would tell that site who looks at this page. */
export function Avatar({ name, email }: { name: string; email: string }) {
  // As text they would be part of what a button around them is called.
  return <span className="avatar" aria-hidden="true" data-initials={initials(name) || initials(email)} />
}
