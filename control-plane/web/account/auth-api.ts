import { call } from '../request.ts'

/** Whether a response asks for a code of the authenticator app. */
export const waitsForCode = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'twoFactorRedirect' in answer

/**
 * Sign-in and account routes, in the shapes of the sign-in handler. The response to a sign-up does not reveal whether
 * the address is known.
 */
export const authApi = {
  signUp: (account: { name: string; email: string; password: string; callbackURL: string }) =>
    call('POST /api/auth/sign-up/email', { body: account }),
  resendSignUp: (email: string) => call('POST /api/auth/sign-up/resend', { body: { email } }),
  previewSignUp: (token: string) =>
    call('POST /api/auth/sign-up/preview', { body: { token } }).then(({ signUp }) => signUp),
  confirmSignUp: (confirmation: { token: string; account?: { name: string; password: string } }) =>
    call('POST /api/auth/sign-up/confirm', { body: confirmation }),
  signIn: (credentials: { email: string; password: string }) =>
    call('POST /api/auth/sign-in/email', { body: credentials }),
  signInWith: (provider: string, callbackURL: string) =>
    call('POST /api/auth/sign-in/social', { body: { provider, callbackURL, errorCallbackURL: '/sign-in' } }),
  sendMagicLink: (email: string, callbackURL: string) =>
    call('POST /api/auth/sign-in/magic-link', { body: { email, callbackURL } }),
  signOut: () => call('POST /api/auth/sign-out'),

  sendVerification: (email: string, callbackURL: string) =>
    call('POST /api/auth/send-verification-email', { body: { email, callbackURL } }),
  requestPasswordReset: (email: string) =>
    call('POST /api/auth/request-password-reset', { body: { email, redirectTo: '/reset-password' } }),
  resetPassword: (token: string, newPassword: string) =>
    call('POST /api/auth/reset-password', { body: { token, newPassword } }),
  changePassword: (change: { currentPassword: string; newPassword: string }) =>
    call('POST /api/auth/change-password', { body: change }),

  signInByLink: (token: string) => call('POST /api/auth/magic-link/verify', { body: { token } }),
  sendCode: (code: string) => call('POST /api/auth/two-factor/verify-totp', { body: { code } }),
  sendRecoveryCode: (code: string) => call('POST /api/auth/two-factor/verify-backup-code', { body: { code } }),
  verifyEmail: (token: string) => call('POST /api/auth/verify-email', { body: { token } }),

  changeEmail: (email: string) => call('POST /api/settings/email', { body: { email } }),
  confirmEmail: (token: string) => call('POST /api/settings/email/confirm', { body: { token } }),
  undoEmailChange: (token: string) => call('POST /api/auth/email-change/undo', { body: { token } }),
  deleteAccount: (confirmation: string) => call('DELETE /api/settings/account', { body: { confirmation } }),

  listSessions: () => call('GET /api/auth/list-sessions'),
  readSession: () => call('GET /api/auth/get-session'),
  revokeSession: (token: string) => call('POST /api/auth/revoke-session', { body: { token } }),
  revokeOtherSessions: () => call('POST /api/auth/revoke-other-sessions'),
}
