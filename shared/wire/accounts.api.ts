import { z } from 'zod'
import { text } from './text.ts'

const ok = z.literal(true)

/** A path of the web app, never a URL of another site. */
export const AppPath = text()
  .max(2_048)
  .regex(/^\/(?![/\\])[^\\\s]*$/, 'must be a path of this app')
/** An address as it is stored and compared. */
export const EmailAddress = z.email().max(320).toLowerCase()
export const PersonName = text().trim().min(1).max(100)
const NewPassword = text().min(8).max(128)

export const SignUpRequest = z.object({
  name: PersonName,
  email: EmailAddress,
  password: NewPassword,
  callbackURL: AppPath.default('/').describe('The page of the app to go to after the confirmation.'),
})
export const ResendSignUpRequest = z.strictObject({ email: EmailAddress })

export const ChangeEmailRequest = z.strictObject({ email: EmailAddress })
/** The token is the fragment of the mailed link. */
export const EmailChangeToken = z.strictObject({ token: text().min(16).max(100) })
export const EmailChangeUndone = z.object({ ok, email: z.string().describe('The address of the account again.') })
export const DeleteAccountRequest = z.strictObject({
  confirmation: text().max(320).describe('The exact e-mail address of the account.'),
})

export const ResetTwoFactorRequest = z.strictObject({
  email: EmailAddress,
  reason: text().trim().min(1).max(500).describe('Goes into the audit.'),
})
export const TwoFactorReset = z.object({ ok, userId: z.string() })

/** The token is the fragment of the mailed link. */
export const SignUpToken = z.strictObject({ token: text().min(16).max(100) })
export const SignUpPreview = z.object({
  ok,
  signUp: z.object({
    email: z.string(),
    name: z.string(),
    sameBrowser: z
      .boolean()
      .describe('The sign-up came from this browser; any other one chooses name and password when it confirms.'),
  }),
})
export const ConfirmSignUpRequest = SignUpToken.extend({
  account: z.strictObject({ name: PersonName, password: NewPassword }).optional(),
})
