import { setImmediate } from 'node:timers/promises'

// The larger parts of the routes: what runs them, what they do.
const PARTS = [() => import('./http/http-server.ts'), () => import('./compose-verbs.ts')]

/** Loads the code of the routes part by part: all in one turn of the event loop would hold it for a tenth of a second. */
export async function importApp(): Promise<typeof import('./app.ts')> {
  for (const load of PARTS) {
    await load()
    await setImmediate()
  }
  return import('./app.ts')
}
