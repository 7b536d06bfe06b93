export type OrganizationTab = 'vaults' | 'members' | 'agents' | 'host' | 'settings' | 'audit'
export type NewOrganization = 'choose' | 'self-hosted' | 'hosted'
export type DaemonAct = 'grow' | 'roll' | 'rotate'

/** Addresses of the pages that take parameters. */
export const pathTo = {
  organization: (slug: string, tab: OrganizationTab = 'vaults') =>
    `/organizations/${encodeURIComponent(slug)}${tab === 'vaults' ? '' : `/${tab}`}`,
  newOrganization: (kind: NewOrganization) => `/organizations/new${kind === 'choose' ? '' : `/${kind}`}`,
  open: (orgSlug: string, vaultSlug: string) =>
    `/open/${encodeURIComponent(orgSlug)}/${encodeURIComponent(vaultSlug)}/`,
  signIn: (next: string) => withNext('/sign-in', next),
  code: (next: string) => withNext('/sign-in/code', next),
  signUp: (next: string) => withNext('/sign-up', next),
  /** The page of a daemon; with an action, its dialog is open. */
  adminDaemon: (orgId: string, act?: DaemonAct) =>
    `/admin/organizations/${encodeURIComponent(orgId)}${act === undefined ? '' : `?act=${act}`}`,
  adminAudit: (chain: string) => `/admin/audit?chain=${encodeURIComponent(chain)}`,
  adminRollout: (id: string) => `/admin/rollouts/${encodeURIComponent(id)}`,
}

function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
}

/** Pages for people without a session. */
const guestPaths = ['/sign-in', '/sign-in/code', '/sign-up', '/forgotten-password']

/** Where to go after sign-in: a path of this app, never an address elsewhere and never a sign-in page again. */
export function readNext(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  if (!/^\/(?![/\\])[^\\\s]*$/.test(next)) return '/'
  // The router accepts a page with and without a final slash.
  const path = next.split(/[?#]/, 1)[0]!
  return guestPaths.includes(path.endsWith('/') ? path.slice(0, -1) : path) ? '/' : next
}
