import { expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { verifies } from '../requirements.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { startMailServer } from '../support/mail-server.ts'
import { mailedToken } from '../support/mailbox.ts'
import { until } from '../support/until.ts'

const start = async (clock: Clock = hurriedClock(25)) => {
  const mailServer = await startMailServer()
  const cp = await startControlPlane({ mailServer, clock })
  const ada = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  const { organization } = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
  const invite = (email: string) =>
    ada.post('/api/auth/organization/invite-member', {
      organizationId: organization.id,
      email,
      role: 'member',
      resend: true,
    })
  const logged = (text: string, times: number) =>
    until(`logged ${times} times: ${text}`, async () => cp.logged().split(text).length > times)
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
  return { ada, mailServer, invite, mailed, logged, stop }
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

test('no mail arrives late with a link that a newer mail has replaced', async () => {
  verifies('cp.mail-retries')
  const { promise, resolve } = Promise.withResolvers<void>()
  const untilTold: Clock = {
    ...systemClock,
    sleep: (ms, signal) => (ms === 5_000 ? promise : systemClock.sleep(ms, signal)),
  }
  const { ada, mailServer, invite, mailed, logged, stop } = await start(untilTold)
  try {
    for (const address of ['bob@example.org', 'old@example.org']) mailServer.refuseOnce(address, '451 try again later')
    await invite('bob@example.org')
    await ada.post('/api/settings/email', { email: 'old@example.org' })
    await logged('mail was not taken by the server', 2)

    await invite('bob@example.org')
    await ada.post('/api/settings/email', { email: 'new@example.org' })
    await mailed('bob@example.org', '/invitations/')
    await mailed('new@example.org', '/email-change')
    resolve()
    await logged('a newer one replaces it', 2)
    const recipients = mailServer.received.map(({ envelope }) => /<([^>]*)>/.exec(envelope[1] ?? '')?.[1])
    expect(recipients.toSorted()).toEqual(['ada@example.org', 'bob@example.org', 'new@example.org'])
  } finally {
    resolve()
    await stop()
  }
})

test('a sign-in link is not mailed when it would be dead', async () => {
  verifies('cp.mail-retries')
  const { ada, mailServer, logged, stop } = await start(hurriedClock(1_000))
  try {
    mailServer.close()
    await ada.post('/api/auth/sign-in/magic-link', { email: 'ada@example.org' })
    await logged('"template":"magic-link","attempts":4', 1)
  } finally {
    await stop()
  }
})
