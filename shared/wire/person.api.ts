import { z } from 'zod'
import type { Role } from './assertions.ts'
import { themes } from './themes.ts'

/**
 * The first request of the vault UI: who the visitor is, which vaults they may open, and what they may do. The gateway
 * responds for a person who has entered, `svcd` for the person at its own machine.
 */

/** Acts that not everybody may do. The daemon checks each request; a UI reads here what to offer. */
export const capabilities = ['create_vault', 'delete_permanently', 'restore_of_others'] as const
export const Capability = z.enum(capabilities)
export type Capability = z.infer<typeof Capability>

/** What a person who came through the relay may do. */
export function capabilitiesOf(role: Role): Capability[] {
  return role === 'admin' ? ['delete_permanently', 'restore_of_others'] : []
}

export const Theme = z.enum(themes)
const VaultToOpen = z.object({
  id: z.string(),
  displayName: z.string(),
  entered: z.boolean().describe('False for a vault that has to be entered through `app.enter` first.'),
})
export const PersonHere = z.object({
  ok: z.literal(true),
  person: z.object({ id: z.string(), name: z.string() }),
  organization: z.object({ id: z.string(), name: z.string() }).optional(),
  vaults: z.array(VaultToOpen),
  capabilities: z.array(Capability),
  theme: Theme,
  app: z
    .object({
      home: z.url(),
      account: z.url(),
      enter: z.url().describe('Takes `vault` and `path` as parameters, and a heading as fragment.'),
      leave: z.string().describe('A path of this origin; `POST` ends the visit.'),
      offline: z
        .string()
        .describe('A path of this origin: a service worker that shows a page while the device is offline.'),
    })
    .optional()
    .describe('The web app that the person came from; absent where the daemon is used on its own machine.'),
})
export type PersonHere = z.infer<typeof PersonHere>

export const ChoosePreferences = z.strictObject({ theme: Theme })
export type ChoosePreferences = z.infer<typeof ChoosePreferences>
export const PreferencesChosen = z.object({ ok: z.literal(true), theme: Theme })

/** The path of the request at both. */
export const PERSON_PATH = '/_svc/person'
