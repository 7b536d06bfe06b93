// Names that models use for the organization, in normalized form.
const NAMES = new Set(['org', 'organization', 'organisation', 'orgid', 'organizationid', 'orgslug', 'orgname'])

/**
 * The arguments of a call, with the organization under its proper name and without null values, which some models send
 * for omitted arguments. The daemon tolerates mistakes in the other arguments. Pure.
 */
export function forgiveOrg(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args ?? {}
  const given = Object.entries(args).filter(([, value]) => value !== null)
  if (given.some(([key]) => key === 'org')) return Object.fromEntries(given)
  const at = given.findIndex(([key]) => NAMES.has(key.replaceAll(/[_\s-]/g, '').toLowerCase()))
  return Object.fromEntries(given.map(([key, value], index) => [index === at ? 'org' : key, value as unknown]))
}
