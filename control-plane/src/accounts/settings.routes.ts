import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { fail } from '@svc/shared/wire/errors.ts'
import { ProfileUpdated, Settings, UpdateProfileRequest } from '@svc/shared/wire/control-plane.api.ts'
import { ChoosePreferences, PreferencesChosen } from '@svc/shared/wire/person.api.ts'
import type { z } from 'zod'
import type { Guards, Person } from '../http/guards.ts'
import type { AccountsRepository } from './accounts.repository.ts'
import type { PreferencesRepository } from './preferences.repository.ts'

type SettingsView = z.input<typeof Settings>
export type SettingsDeps = {
  guards: Guards
  accounts: AccountsRepository
  preferences: PreferencesRepository
  findWays(userId: string): Promise<SettingsView['signIn']>
  listOrganizations(userId: string): Promise<SettingsView['organizations']>
  listAdmissionOffers(person: Person): Promise<SettingsView['admissionOffers']>
}

/** A person's own settings. */
export function settingsRoutes({
  guards,
  accounts,
  preferences,
  findWays,
  listOrganizations,
  listAdmissionOffers,
}: SettingsDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/settings',
      { onRequest: guards.signedIn, schema: { response: { 200: Settings } } },
      async ({ session: { person } }) => {
        const [organizations, admissionOffers, systemAdmin, theme, signIn] = await Promise.all([
          listOrganizations(person.id),
          listAdmissionOffers(person),
          guards.isSystemAdmin(person.id),
          preferences.findTheme(person.id),
          findWays(person.id),
        ])
        const profile = toProfile(person)
        return { ok: true as const, profile, organizations, admissionOffers, systemAdmin, theme, signIn }
      },
    )

    app.patch(
      '/api/settings/profile',
      { onRequest: guards.signedIn, schema: { body: UpdateProfileRequest, response: { 200: ProfileUpdated } } },
      async ({ session, body }) => {
        const changed = await accounts.updateProfile(session.person.id, body)
        if (changed === undefined) throw fail('unauthenticated')
        return { ok: true as const, profile: toProfile(changed) }
      },
    )

    app.patch(
      '/api/settings/preferences',
      { onRequest: guards.signedIn, schema: { body: ChoosePreferences, response: { 200: PreferencesChosen } } },
      async ({ session, body: { theme } }) => {
        await preferences.updateTheme(session.person.id, theme)
        return { ok: true as const, theme }
      },
    )
  }
}

const toProfile = ({ id, name, email, emailVerified, image }: Person) => ({ id, name, email, emailVerified, image })
