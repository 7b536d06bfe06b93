import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { startMailServer } from '../support/mail-server.ts'
import { mailedToken } from '../support/mailbox.ts'
import { until } from '../support/until.ts'

const start = async () => {
  const mailServer = await startMailServer()
  const cp = await startControlPlane({ mailServer, clock: hurriedClock(25) })
  const ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  const { organization } = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
  const invite = (email: string) =>
    ada.post('/api/auth/organization/invite-member', { organizationId: organization.id, email, role: 'member' })
  const mailed = async (address: string, path: string) => {
    let link = ''
    await until(`a mail with ${path} came for ${address}`, async () => {
      link = (await mailServer.mailbox(address)).link
      return new URL(link).pathname.startsWith(path)
    })
    return mailedToken({ link })
  }
  const stop = async () => {
    mailServer.close()
    await cp.stop()
  }
  return { cp, ada, mailServer, invite, mailed, stop }
}

test('mails that the mail server does not take at first arrive', async () => {
  verifies('cp.mail-retries')
  const { ada, mailServer, invite, mailed, stop } = await start()
  try {
    mailServer.refuseOnce('bob@example.org', '451 try again later')
    expect((await invite('bob@example.org')).status).toBe(200)
    expect(await mailed('bob@example.org', '/invitations/')).not.toBe('')

    await ada.post('/api/settings/email', { email: 'thief@example.org' })
    const token = await mailed('thief@example.org', '/email-change')
    mailServer.refuseOnce('ada@example.org', '421 busy')
    expect((await ada.post('/api/settings/email/confirm', { token })).status).toBe(200)
    expect(await mailed('ada@example.org', '/email-change/undo')).not.toBe('')
  } finally {
    await stop()
  }
})

test('an invitation does not wait for a mail server that never greets', async () => {
  verifies('cp.mail-retries')
  const { mailServer, invite, stop } = await start()
  try {
    mailServer.fallSilent()
    expect((await invite('bob@example.org')).status).toBe(200)
    expect(mailServer.ended(), 'the connection is open').toBe(0)
  } finally {
    await stop()
  }
})
