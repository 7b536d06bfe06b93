import type { HomeLayout } from '../home/home-layout.ts'
import type { EarlyAnswer } from '../http/front-door.ts'

type Refused = readonly { name: string; reason: string }[]

/** The body of a health response. It lists directories that are not served only when there are any. */
export const healthOf = ({ home, statusFile }: HomeLayout, refused: Refused) => ({
  ok: true as const,
  service: 'svcd' as const,
  status: {
    serviceName: 'svcd',
    svcHome: home,
    statusFile,
    ...(refused.length > 0 ? { refusedVaults: [...refused] } : {}),
  },
})

type Deps = { layout: HomeLayout; isReady: () => boolean; refused: () => Refused }

/** The responses for health and readiness, by path, until the routes are loaded. */
export function earlyAnswers({ layout, isReady, refused }: Deps): Record<string, EarlyAnswer> {
  return {
    '/api/health': () => ({ status: 200, body: healthOf(layout, refused()) }),
    '/api/ready': () => ({ status: isReady() ? 200 : 503, body: { ok: isReady() } }),
  }
}
