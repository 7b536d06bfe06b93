import { loadPart } from '@svc/shared/design/load-part.ts'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/browser'
import { ApiFailure } from '../api-failure.ts'
import type { AnswerOf } from '@svc/shared/client/route-call.ts'
import { call } from '../request.ts'

/** A passkey as the sign-in handler lists it. */
export type PasskeyView = AnswerOf<'GET /api/auth/passkey/list-user-passkeys'>[number]

/** False in browsers without passkeys, and where the page is not on a secure origin. */
export const canUsePasskeys = (): boolean => typeof window.PublicKeyCredential === 'function'

// Loaded on first use: the pages do not need it to start.
const library = () => loadPart(() => import('@simplewebauthn/browser'))

/** Passkeys: the browser asks the person, the server checks what the device signed. */
export const passkeys = {
  list: () => call('GET /api/auth/passkey/list-user-passkeys'),
  rename: (id: string, name: string) => call('POST /api/auth/passkey/update-passkey', { body: { id, name } }),
  remove: (id: string) => call('POST /api/auth/passkey/delete-passkey', { body: { id } }),

  add: async (name: string) => {
    const { startRegistration } = await library()
    const optionsJSON = await call('GET /api/auth/passkey/generate-register-options')
    const response = await asked<RegistrationResponseJSON>(() => startRegistration({ optionsJSON }))
    return call('POST /api/auth/passkey/verify-registration', { body: { response, name } })
  },

  signIn: async () => {
    const { startAuthentication } = await library()
    type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
    const options = await call('GET /api/auth/passkey/generate-authenticate-options')
    // The server refuses a response without user verification, so request the verification here.
    const optionsJSON: Options = { ...options, userVerification: 'required' }
    const response = await asked<AuthenticationResponseJSON>(() => startAuthentication({ optionsJSON }))
    return call('POST /api/auth/passkey/verify-authentication', { body: { response } })
  },
}

/** Runs the browser's passkey dialog. A refusal becomes a failure with an explanation. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    const known = Object.hasOwn(refusals, name) ? refusals[name] : undefined
    throw new ApiFailure({ code: 'passkey_refused', message: known ?? 'The passkey did not work. Try again.' }, 0)
  }
}

const refusals: Record<string, string> = {
  NotAllowedError: 'No passkey was used: the question was closed, or took too long.',
  AbortError: 'No passkey was used: the question was closed.',
  InvalidStateError: 'This device has a passkey of your account already.',
  NotSupportedError: 'This device cannot make a passkey for svc.',
  SecurityError: 'Passkeys do not work at this address. They need https, or localhost.',
}
