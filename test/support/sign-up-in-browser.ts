import type { Page } from 'playwright-core'
import type { Platform } from './platform.ts'

/** Name and password of the person who signs up in a browser. */
export const ADA = { name: 'Ada Lovelace', email: 'ada@example.org', password: 'correct horse battery staple' }

/** Signs Ada up on the sign-up page and confirms her address with the mailed link, which signs her in. */
export async function signUpInBrowser(page: Page, { origin, mailbox }: Platform): Promise<void> {
  await page.goto(`${origin}/sign-up`)
  await page.getByLabel('Name').fill(ADA.name)
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password', { exact: true }).fill(ADA.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
  await page.goto((await mailbox(ADA.email)).link)
  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
}
