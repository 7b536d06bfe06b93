import type { SessionView, SignUpView } from '../answers.ts'
import { request } from '../request.ts'

const post = <T = unknown>(address: string, body?: unknown) =>
  request<T>(`/api/auth${address}`, { method: 'POST', body })

/** A sign-in: the session is there, or it waits for a code. */
export type SignedIn = { twoFactorRedirect?: true }

/** True for an answer that asks for a code of the authenticator app. */
export const waitsForCode = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'twoFactorRedirect' in answer

/** Sign-in and account routes: the sign-in handler's own shapes. Sign-up tells nobody whether an address is known. */
export const authApi = {
  signUp: (account: { name: string; email: string; password: string; callbackURL: string }) =>
    post('/sign-up/email', account),
  resendSignUp: (email: string) => post('/sign-up/resend', { email }),
  previewSignUp: (token: string) =>
    post<{ signUp: SignUpView }>('/sign-up/preview', { token }).then(({ signUp }) => signUp),
  confirmSignUp: (confirmation: { token: string; account?: { name: string; password: string } }) =>
    post('/sign-up/confirm', confirmation),
  signIn: (credentials: { email: string; password: string }) => post<SignedIn>('/sign-in/email', credentials),
  signInWith: (provider: string, callbackURL: string) =>
    post<{ url?: string }>('/sign-in/social', { provider, callbackURL, errorCallbackURL: '/sign-in' }),
  sendMagicLink: (email: string, callbackURL: string) => post('/sign-in/magic-link', { email, callbackURL }),
  signOut: () => post('/sign-out'),

  sendVerification: (email: string, callbackURL: string) => post('/send-verification-email', { email, callbackURL }),
  requestPasswordReset: (email: string) => post('/request-password-reset', { email, redirectTo: '/reset-password' }),
  resetPassword: (token: string, newPassword: string) => post('/reset-password', { token, newPassword }),
  changePassword: (change: { currentPassword: string; newPassword: string; revokeOtherSessions: boolean }) =>
    post('/change-password', change),

  signInByLink: (token: string) => post<SignedIn>('/magic-link/verify', { token }),
  sendCode: (code: string) => post('/two-factor/verify-totp', { code }),
  sendRecoveryCode: (code: string) => post('/two-factor/verify-backup-code', { code }),
  verifyEmail: (token: string) => post('/verify-email', { token }),

  changeEmail: (email: string) => request('/api/settings/email', { method: 'POST', body: { email } }),
  confirmEmail: (token: string) => request('/api/settings/email/confirm', { method: 'POST', body: { token } }),
  undoEmailChange: (token: string) => post<{ email: string }>('/email-change/undo', { token }),
  deleteAccount: (confirmation: string) =>
    request('/api/settings/account', { method: 'DELETE', body: { confirmation } }),

  listSessions: () => request<SessionView[]>('/api/auth/list-sessions'),
  readSession: () => request<{ session: SessionView } | null>('/api/auth/get-session'),
  revokeSession: (token: string) => post('/revoke-session', { token }),
  revokeOtherSessions: () => post('/revoke-other-sessions'),
}
