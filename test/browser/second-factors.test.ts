import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { codeOf } from '../support/authenticator.ts'
import { accessibilityProblems } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { startPlatform, type Platform } from '../support/platform.ts'
import { ADA, signUpInBrowser } from '../support/sign-up-in-browser.ts'

let platform: Platform
let browser: Browser
let page: Page
let devices: CDPSession
const troubles: string[] = []

beforeAll(async () => {
  platform = await startPlatform()
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 1280, height: 850 } })
  page.on('pageerror', (error) => troubles.push(error.message))
  // A device that stores passkeys and confirms its owner without a prompt.
  devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await signUpInBrowser(page, platform)
  await page.getByText('Choose self-hosted').waitFor()
})
afterAll(async () => {
  await browser?.close()
  await platform?.remove()
})

/** Takes a screenshot if a folder for them is set. */
const shoot = async (name: string) => {
  const folder = process.env['SVC_TEST_PICTURES']
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
const signOut = async () => {
  await page.evaluate(async () => {
    await fetch('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  })
  await page.goto(`${platform.origin}/sign-in?next=%2Fprofile`)
}
const section = (name: string) => page.getByRole('region', { name })

test('an authenticator app is added by QR code or key; recovery codes are shown once', async () => {
  verifies('auth.two-factor', 'auth.two-factor-recovery')
  await page.goto(`${platform.origin}/profile`)
  await section('Two-factor sign-in').getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('dialog').getByLabel('Your password').fill(ADA.password)
  await page.getByRole('button', { name: 'Go on' }).click()
  const scan = page.getByRole('dialog', { name: 'Add svc to your app' })
  await scan.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  const secret = (await scan.getByRole('region', { name: 'Key for the app' }).innerText()).replace(/\s/g, '')
  expect(secret).toMatch(/^[A-Z2-7]{32,}$/)
  expect(await accessibilityProblems(page)).toEqual([])
  await shoot('scan')
  uri = `otpauth://totp/svc?secret=${secret}`
  await scan.getByLabel('Code', { exact: true }).fill(codeOf(uri))
  await scan.getByRole('button', { name: 'Turn on' }).click()

  const kept = page.getByRole('dialog', { name: 'Your recovery codes' })
  recoveryCodes = (await kept.getByRole('region', { name: 'Recovery codes' }).innerText()).trim().split(/\s+/)
  expect(recoveryCodes).toHaveLength(10)
  // Chromium asks a page only once whether a dialog may close.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  expect(await kept.isVisible(), 'what is shown once is not closed by mistake').toBe(true)
  expect(await accessibilityProblems(page)).toEqual([])
  await shoot('recovery-codes')
  await kept.getByLabel('I have kept the codes').check()
  await kept.getByRole('button', { name: 'Done' }).click()
  await section('Two-factor sign-in').getByRole('button', { name: 'Turn off' }).waitFor()
  await shoot('profile')
})

let uri = ''
let recoveryCodes: string[] = []

test('sign-in asks for a code, and a recovery code does as well', async () => {
  verifies('auth.two-factor')
  await signOut()
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Two-factor sign-in' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await shoot('code')
  await page.getByLabel('Code', { exact: true }).fill('12 34 56')
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/profile')
})

test('a passkey is added, named, used to sign in without a code, and removed', async () => {
  verifies('auth.passkeys')
  const list = section('Passkeys')
  await list.getByRole('button', { name: 'Add a passkey' }).click()
  const add = page.getByRole('dialog', { name: 'Add a passkey' })
  await add.getByLabel('Name').fill('My laptop')
  await add.getByRole('button', { name: 'Add', exact: true }).click()
  await list.getByText('My laptop').waitFor()
  await list.getByRole('button', { name: 'Rename My laptop' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Work laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await list.getByText('Work laptop').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await shoot('passkeys')

  await signOut()
  expect(await accessibilityProblems(page)).toEqual([])
  await shoot('sign-in')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()

  await list.getByRole('button', { name: 'Remove Work laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await list.getByText('Work laptop', { exact: true }).waitFor({ state: 'detached' })
  await signOut()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('This passkey is not known here.').waitFor()
  expect(troubles).toEqual([])
})
