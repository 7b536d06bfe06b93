type Notice = { subject: string; lead: string }

/** Mails that tell a person about a change of how they sign in, so that they notice a change by somebody else. */
const notices = {
  'two-factor-on': {
    subject: 'Two-factor sign-in is on',
    lead: 'Sign-in to your account asks for a code of your authenticator app from now on. Every other session was ended.',
  },
  'two-factor-off': {
    subject: 'Two-factor sign-in is off',
    lead: 'Sign-in to your account asks for no code any more. Every other session was ended.',
  },
  'two-factor-reset': {
    subject: 'Two-factor sign-in was reset',
    lead: 'A system admin took two-factor sign-in off your account and ended every session. Sign in and set it up again.',
  },
  'recovery-codes-made': {
    subject: 'New recovery codes',
    lead: 'Your account has new recovery codes. The ones before do not work any more.',
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    lead: 'Somebody signed in to your account with a recovery code, which is used up now. Make new ones before the last is gone.',
  },
  'passkey-added': {
    subject: 'A passkey was added',
    lead: 'A new passkey can sign in to your account.',
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    lead: 'A passkey was removed from your account and cannot sign in any more.',
  },
} satisfies Record<string, Notice>

export type SecurityNotice = keyof typeof notices

/** The texts of a notice. */
export const securityNotice = (notice: SecurityNotice): Notice => notices[notice]

export const isSecurityNotice = (template: string): template is SecurityNotice => Object.hasOwn(notices, template)
