import type { RolloutSettings } from '../admin-answers.ts'

/** The fields of the rollout form, as typed. */
export type RolloutForm = {
  image: string
  canaries: string
  shares: string
  soakMinutes: string
  concurrency: string
  failureBudget: string
}

/** A new form: one canary, then growing shares of the fleet. */
export const emptyForm: RolloutForm = {
  image: '',
  canaries: '1',
  shares: '5, 25, 100',
  soakMinutes: '5',
  concurrency: '5',
  failureBudget: '1',
}

/** The settings of a form. Invalid numbers are passed on for the server to refuse. */
export function readSettings(form: RolloutForm): RolloutSettings {
  return {
    canary: { count: Number(form.canaries), orgIds: [] },
    shares: form.shares
      .split(/[\s,;%]+/)
      .filter(Boolean)
      .map(Number),
    soakSeconds: Math.round(Number(form.soakMinutes) * 60),
    concurrency: Number(form.concurrency),
    failureBudget: Number(form.failureBudget),
  }
}
