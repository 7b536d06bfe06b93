import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import {
  capabilities,
  ChoosePreferences,
  PERSON_PATH,
  PersonHere,
  PreferencesChosen,
} from '@svc/shared/wire/person.api.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'
import type { Preferences } from './preferences.ts'

type Deps = { registry: Pick<VaultRegistry, 'list'>; preferences: Preferences }

/**
 * The person at this machine, who may do everything. For relayed requests, the gateway responds instead of the daemon.
 */
export function personRoutes({ registry, preferences }: Deps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(PERSON_PATH, { config: { quiet: true }, schema: { response: { 200: PersonHere } } }, async () => ({
      ok: true as const,
      person: { id: 'local', name: 'You' },
      vaults: registry.list().map(({ id, displayName }) => ({ id, displayName, entered: true })),
      capabilities: [...capabilities],
      theme: await preferences.findTheme(),
    }))

    app.patch(
      PERSON_PATH,
      { config: { quiet: true }, schema: { body: ChoosePreferences, response: { 200: PreferencesChosen } } },
      async ({ body: { theme } }) => {
        await preferences.updateTheme(theme)
        return { ok: true as const, theme }
      },
    )
  }
}
