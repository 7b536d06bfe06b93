import { initials } from './initials.ts'

/** A person as initials. A picture from another site would reveal to it who views this page. */
export function Avatar({ name, email }: { name: string; email: string }) {
  // Hidden as text, so that the initials are not part of the name of a button around them.
  return <span className="avatar" aria-hidden="true" data-initials={initials(name) || initials(email)} />
}
