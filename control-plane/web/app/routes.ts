export type OrganizationTab = 'vaults' | 'members' | 'agents' | 'daemon' | 'settings' | 'audit'
export type NewOrganization = 'choose' | 'self-hosted' | 'hosted'

/** Every page of the app, with what its address says. */
export type Route =
  | { page: 'home' }
  | { page: 'sign-in' }
  | { page: 'sign-in-code' }
  | { page: 'sign-up' }
  | { page: 'confirm-sign-up' }
  | { page: 'magic-link' }
  | { page: 'forgotten-password' }
  | { page: 'reset-password' }
  | { page: 'verify-email' }
  | { page: 'change-email' }
  | { page: 'undo-email-change' }
  | { page: 'setup' }
  | { page: 'invitation'; id: string }
  | { page: 'profile' }
  | { page: 'connect' }
  | { page: 'consent' }
  | { page: 'new-organization'; kind: NewOrganization }
  | { page: 'organization'; slug: string; tab: OrganizationTab }
  | { page: 'enter' }
  | { page: 'open'; orgSlug: string; vaultSlug: string }
  | { page: 'admin' }
  | { page: 'admin-daemon'; orgId: string }
  | { page: 'admin-claims' }
  | { page: 'admin-audit' }
  | { page: 'admin-rollouts' }
  | { page: 'admin-rollout'; id: string }
  | { page: 'unknown' }

const plain = new Map<string, Route>(
  Object.entries<Route>({
    '': { page: 'home' },
    'sign-in': { page: 'sign-in' },
    'sign-in/code': { page: 'sign-in-code' },
    'sign-in/link': { page: 'magic-link' },
    'sign-up': { page: 'sign-up' },
    'sign-up/confirm': { page: 'confirm-sign-up' },
    'forgotten-password': { page: 'forgotten-password' },
    'reset-password': { page: 'reset-password' },
    'verify-email': { page: 'verify-email' },
    'email-change': { page: 'change-email' },
    'email-change/undo': { page: 'undo-email-change' },
    setup: { page: 'setup' },
    enter: { page: 'enter' },
    profile: { page: 'profile' },
    connect: { page: 'connect' },
    consent: { page: 'consent' },
    'organizations/new': { page: 'new-organization', kind: 'choose' },
    'organizations/new/self-hosted': { page: 'new-organization', kind: 'self-hosted' },
    'organizations/new/hosted': { page: 'new-organization', kind: 'hosted' },
    admin: { page: 'admin' },
    'admin/rollouts': { page: 'admin-rollouts' },
    'admin/claims': { page: 'admin-claims' },
    'admin/audit': { page: 'admin-audit' },
  }),
)

/** The page that a path names. */
export function readRoute(pathname: string): Route {
  const parts = decode(pathname)
  if (parts === undefined) return { page: 'unknown' }
  const fixed = plain.get(parts.join('/'))
  if (fixed !== undefined) return fixed

  const [first = '', second = '', third = ''] = parts
  if (first === 'invitations' && parts.length === 2) return { page: 'invitation', id: second }
  if (first === 'organizations' && parts.length === 2) return { page: 'organization', slug: second, tab: 'vaults' }
  if (first === 'organizations' && parts.length === 3 && isTab(third))
    return { page: 'organization', slug: second, tab: third }
  if (first === 'open' && parts.length === 3) return { page: 'open', orgSlug: second, vaultSlug: third }
  if (first === 'admin' && second === 'rollouts' && parts.length === 3) return { page: 'admin-rollout', id: third }
  if (first === 'admin' && second === 'organizations' && parts.length === 3)
    return { page: 'admin-daemon', orgId: third }
  return { page: 'unknown' }
}

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
  adminDaemon: (orgId: string) => `/admin/organizations/${encodeURIComponent(orgId)}`,
  adminAudit: (chain: string) => `/admin/audit?chain=${encodeURIComponent(chain)}`,
  adminRollout: (id: string) => `/admin/rollouts/${encodeURIComponent(id)}`,
}

function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
}

/** Where to go after sign-in: a path of this app, never an address elsewhere and never a sign-in page again. */
export function readNext(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  if (!/^\/(?![/\\])[^\\\s]*$/.test(next) || isSignedOutPage(readRoute(next.split(/[?#]/, 1)[0]!))) return '/'
  return next
}

/** Pages that make no sense with a session. */
export function isSignedOutPage({ page }: Route): boolean {
  return page === 'sign-in' || page === 'sign-in-code' || page === 'sign-up' || page === 'forgotten-password'
}

const openPages: Route['page'][] = [
  'confirm-sign-up',
  'magic-link',
  'reset-password',
  'verify-email',
  'change-email',
  'undo-email-change',
  'setup',
  'invitation',
]

/** Pages that are there with and without a session. */
export function isOpenPage({ page }: Route): boolean {
  return openPages.includes(page)
}

function decode(pathname: string): string[] | undefined {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function isTab(text: string): text is OrganizationTab {
  return text === 'members' || text === 'agents' || text === 'daemon' || text === 'settings' || text === 'audit'
}
