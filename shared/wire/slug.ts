// Cut before normalizing: a slug has 40 characters, and normalizing a long run of marks takes quadratic time.
const LONGEST_NAME = 200

/** A short name derived from a display name; empty when no character of it can be used. Runs in browsers too. */
export function slugify(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '')
}
