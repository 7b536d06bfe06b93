import type { AnswerOf } from '@svc/shared/client/route-call.ts'
import { call } from '../request.ts'

type Proof = { password?: string }
export type Enrolment = AnswerOf<'POST /api/auth/two-factor/enable'>

/** Authenticator apps and recovery codes. */
export const secondFactorApi = {
  begin: (proof: Proof) => call('POST /api/auth/two-factor/enable', { body: proof }),
  confirm: (code: string) => call('POST /api/auth/two-factor/confirm', { body: { code } }),
  makeRecoveryCodes: (proof: Proof) => call('POST /api/auth/two-factor/generate-backup-codes', { body: proof }),
  turnOff: (proof: Proof) => call('POST /api/auth/two-factor/disable', { body: proof }),
}
