import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { mailedToken } from './mailbox.ts'
import { createPerson, type Person } from './person.ts'
import { START_MS, startPlatform, type Platform } from './platform.ts'
import { until } from './until.ts'

/** An organization whose vaults the platform hosts, with two members. */
export type HostedPeople = {
  platform: Platform
  ada: Person
  ben: Person
  orgId: string
  /** The folder of its vault on the volume. */
  notes: string
  /** The managed daemon as system admins see it. */
  daemon(): Promise<any> // eslint-disable-line typescript/no-explicit-any -- tests look into responses freely
}

/** Starts the embedded platform with a hosted organization of Ada, a system admin, and Ben, a member. */
export async function startHostedPeople(environment: Record<string, string> = {}): Promise<HostedPeople> {
  const platform = await startPlatform(environment)
  const ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org', name: 'Ada Lovelace' })
  await ada.post('/api/setup/claim', { token: new URL(platform.setupLink ?? '').hash.slice(1) })
  const made = await ada.post('/api/provisioning/orgs/cloud-hosted/comped', { name: 'Friends', slug: 'friends' })
  const orgId = made.body.organization.id as string
  const ben = createPerson(platform.origin, platform.mailbox)
  await ben.signUp({ email: 'ben@example.org', name: 'Ben Ortega' })
  const invited = { organizationId: orgId, email: ben.email, role: 'member' }
  const { body } = await ada.post('/api/auth/organization/invite-member', invited)
  const token = await invitationOf(platform, ben)
  await ben.post('/api/auth/organization/accept-invitation', { invitationId: body.id, token })

  const daemon = async () => (await ada.get(`/api/admin/managed-daemons?orgId=${orgId}`)).body?.daemons?.[0]?.daemon
  await until('the daemon runs', async () => (await daemon())?.operation?.outcome === 'succeeded', {
    withinMs: START_MS,
  })
  const notes = join(platform.dataDir, 'daemons', `org-${orgId.slice(4)}`, 'home', 'vaults', 'demo-vault')
  return { platform, ada, ben, orgId, notes, daemon }
}

/** A browser context in which a person is signed in. */
export async function windowOf(
  browser: Browser,
  { person, platform, ...options }: { person: Person; platform: Platform } & BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 }, ...options })
  await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: platform.origin })))
  return context
}

/** The token of the invitation, whose mail comes after the mail of the sign-up. */
async function invitationOf(platform: Platform, { email }: Person): Promise<string> {
  let mail = await platform.mailbox(email)
  await until('the invitation is mailed', async () => {
    mail = await platform.mailbox(email)
    return mail.link.includes('/invitations/')
  })
  return mailedToken(mail)
}
