import type { AppConfig } from '@svc/shared/wire/control-plane.api.ts'
import type { z } from 'zod'
import type { Config } from '../config.ts'

type Shown = Pick<Config, 'baseUrl' | 'environment' | 'google' | 'oidc' | 'mcp'>
type Facts = { config: Shown; runsDaemons: boolean; provisioningCodeRequired: boolean; hasOutbox: boolean }

/** What the web app may know before sign-in. */
export function appConfig(facts: Facts): z.input<typeof AppConfig> {
  const { config, runsDaemons, provisioningCodeRequired, hasOutbox } = facts
  const { environment, google, oidc, baseUrl } = config
  return {
    ok: true,
    environment,
    providers: [
      ...(google === undefined ? [] : [{ id: 'google', name: 'Google' }]),
      ...(oidc === undefined ? [] : [{ id: 'oidc', name: oidc.name }]),
    ],
    hosted: runsDaemons,
    provisioningCodeRequired,
    agents: config.mcp.enabled,
    ...(hasOutbox ? { outboxUrl: `${baseUrl}/outbox` } : {}),
  }
}
