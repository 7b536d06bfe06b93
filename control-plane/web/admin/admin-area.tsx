import { NotFoundPage } from '../app/not-found-page.tsx'
import type { Route } from '../app/routes.ts'
import { useSettings } from '../app/session.tsx'

/** System administration; everybody else finds nothing here. */
export function AdminArea({ route }: { route: Route }) {
  const { systemAdmin } = useSettings()
  if (!systemAdmin || !route.page.startsWith('admin')) return <NotFoundPage />
  return null
}
