import { z } from 'zod'
import { text } from './text.ts'

const ok = z.literal(true)
const time = z.iso.datetime()

/** A key that signs assertions for daemons or the gateway. The private half never leaves the control plane. */
export const SigningKeyView = z.object({
  kid: z.string(),
  use: z.enum(['entry', 'request', 'service']),
  state: z
    .enum(['next', 'signing', 'verifies'])
    .describe('`next`: published, signs soon. `verifies`: signs no more, what it signed is still accepted.'),
  createdAt: time,
  signsUntil: time.nullable(),
})
export type SigningKeyView = z.infer<typeof SigningKeyView>

export const SigningKeyList = z.object({
  ok,
  keys: z.array(SigningKeyView),
  rotateEveryDays: z.int().min(0).describe('0: by hand alone.'),
})

export const RotateSigningKeysRequest = z.strictObject({
  reason: text().trim().min(1).max(500).describe('Goes into the audit.'),
  immediate: z
    .boolean()
    .default(false)
    .describe('For keys that leaked: the old ones are withdrawn at once, and what they signed is refused.'),
})
