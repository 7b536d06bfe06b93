import { setImmediate } from 'node:timers/promises'

// The larger parts of the routes: the HTTP server and the verbs.
const PARTS = [() => import('./http/http-server.ts'), () => import('./compose-verbs.ts')]

/**
 * Loads the code of the routes part by part: in a single turn it would block the event loop for a tenth of a second.
 */
export async function importApp(): Promise<typeof import('./app.ts')> {
  for (const load of PARTS) {
    await load()
    await setImmediate()
  }
  return import('./app.ts')
}
