import { request } from '../request.ts'

type Proof = { password?: string }
export type Enrolment = { totpURI: string; backupCodes: string[] }

const post = <T = unknown>(path: string, body: object) =>
  request<T>(`/api/auth/two-factor${path}`, { method: 'POST', body })

/** Authenticator apps and recovery codes. */
export const secondFactorApi = {
  begin: (proof: Proof) => post<Enrolment>('/enable', proof),
  confirm: (code: string) => post('/confirm', { code }),
  makeRecoveryCodes: (proof: Proof) => post<{ backupCodes: string[] }>('/generate-backup-codes', proof),
  turnOff: (proof: Proof) => post('/disable', proof),
}
