import type { HomeLayout } from '../home/home-layout.ts'
import type { EarlyAnswer } from '../http/front-door.ts'

/** The body of a health answer. */
export const healthOf = ({ home, statusFile }: HomeLayout) => ({
  ok: true as const,
  service: 'svcd' as const,
  status: { serviceName: 'svcd', svcHome: home, statusFile },
})

type Deps = { layout: HomeLayout; isReady: () => boolean }

/** Health and readiness, by path, for as long as the routes are not loaded. */
export function earlyAnswers({ layout, isReady }: Deps): Record<string, EarlyAnswer> {
  return {
    '/api/health': () => ({ status: 200, body: healthOf(layout) }),
    '/api/ready': () => ({ status: isReady() ? 200 : 503, body: { ok: isReady() } }),
  }
}
