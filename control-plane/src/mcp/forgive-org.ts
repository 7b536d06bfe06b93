// Names that models give the organization, in plain form.
const NAMES = new Set(['org', 'organization', 'organisation', 'orgid', 'organizationid', 'orgslug', 'orgname'])

/**
 * The arguments of a call with the organization under its name, and without null, which some models send for what they leave
 * out. The other arguments are forgiven by the daemon. Pure.
 */
export function forgiveOrg(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args ?? {}
  const given = Object.entries(args).filter(([, value]) => value !== null)
  if (given.some(([key]) => key === 'org')) return Object.fromEntries(given)
  const at = given.findIndex(([key]) => NAMES.has(key.replaceAll(/[_\s-]/g, '').toLowerCase()))
  return Object.fromEntries(given.map(([key, value], index) => [index === at ? 'org' : key, value as unknown]))
}
