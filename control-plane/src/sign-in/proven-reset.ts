import { createAuthMiddleware } from 'better-auth/api'

/** A mailed link of a password reset. It may have expired. */
export type ResetLink = { userId: string; expiresAt: Date }

/**
 * Tells which link a password is about to be reset with. The link proves the address before the new password is set: if
 * the process dies in between, the account has no password rather than a stranger's way to sign in.
 */
export const provenReset = (onReset: (link: ResetLink) => Promise<void>) => ({
  id: 'proven-reset',
  hooks: {
    before: [
      {
        matcher: ({ path }: { path?: string | undefined }) => path === '/reset-password',
        handler: createAuthMiddleware(async ({ body, context }) => {
          const { token } = body as { token: string }
          const link = await context.internalAdapter.findVerificationValue(`reset-password:${token}`)
          if (link !== null) await onReset({ userId: link.value, expiresAt: link.expiresAt })
        }),
      },
    ],
  },
})
