import type { IncomingMessage, ServerResponse } from 'node:http'
import { whenClosed } from '@svc/shared/kit/when-closed.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { capabilitiesOf, ChoosePreferences, type PersonHere } from '@svc/shared/wire/person.api.ts'
import type { Theme } from '@svc/shared/wire/themes.ts'
import type { EntrySession } from '../entry/entry-secret.ts'
import { originHeaders } from '../http/vault-origin-headers.ts'
import { OFFLINE_WORKER_PATH } from './offline-worker.ts'
import { readSmallBody } from './read-small-body.ts'

const MAX_BODY_BYTES = 1024

/** What the control plane knows and the daemon does not. */
export type PeopleDeps = {
  findTheme(userId: string): Promise<Theme>
  updateTheme(userId: string, theme: Theme): Promise<void>
  findOrganization(orgId: string): Promise<{ name: string } | undefined>
  /** Fails when the daemon cannot be reached. A sleeping daemon counts as reachable and stays asleep. */
  look(wanted: { orgId: string; userId: string; signal: AbortSignal }): Promise<void>
  /** Queries the daemon itself, which wakes it if it sleeps. */
  listVaults(wanted: {
    orgId: string
    userId: string
    signal: AbortSignal
  }): Promise<{ id: string; displayName: string }[]>
}
type Options = { baseUrl: string; secure: boolean; people: PeopleDeps }
type Visit = { request: IncomingMessage; response: ServerResponse; session: EntrySession }

/**
 * The only route of a vault origin that shows data of the control plane: who has entered, which vaults of this
 * organization they may open, and the URL back to the app. It shows nothing of other organizations, because the
 * daemon's own page reads it. HEAD only tells whether the entry is still valid and the daemon is reachable, for pages
 * that poll.
 */
export function createAnswerPerson({ baseUrl, secure, people }: Options) {
  const describe = async ({ userId, name, orgId, role, vaults: entered }: EntrySession, signal: AbortSignal) => {
    const [vaults, theme, organization] = await Promise.all([
      people.listVaults({ orgId, userId, signal }),
      people.findTheme(userId),
      people.findOrganization(orgId),
    ])
    return {
      ok: true,
      person: { id: userId, name },
      organization: { id: orgId, name: organization?.name ?? '' },
      vaults: vaults.map(({ id, displayName }) => ({ id, displayName, entered: entered.includes(id) })),
      capabilities: capabilitiesOf(role),
      theme,
      app: {
        home: `${baseUrl}/`,
        account: `${baseUrl}/profile`,
        enter: `${baseUrl}/enter?organization=${orgId}`,
        leave: '/_svc/leave',
        offline: OFFLINE_WORKER_PATH,
      },
    } satisfies PersonHere
  }

  const choose = async (request: IncomingMessage, { userId }: EntrySession) => {
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) throw fail('unsupported_media_type')
    const parsed = ChoosePreferences.safeParse(jsonOf(await readSmallBody(request, MAX_BODY_BYTES)))
    if (!parsed.success) throw fail('invalid_request', [{ path: 'theme', message: 'must be system, light or dark' }])
    await people.updateTheme(userId, parsed.data.theme)
    return { ok: true, theme: parsed.data.theme }
  }

  return async ({ request, response, session }: Visit): Promise<void> => {
    const gone = new AbortController()
    whenClosed(response, () => gone.abort())
    if (request.method === 'HEAD') {
      await people.look({ ...session, signal: gone.signal })
      return void response.writeHead(200, originHeaders({ secure })).end()
    }
    const body = request.method === 'PATCH' ? await choose(request, session) : await describe(session, gone.signal)
    const text = JSON.stringify(body)
    response.writeHead(200, {
      ...originHeaders({ secure }),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  }
}

export type AnswerPerson = ReturnType<typeof createAnswerPerson>

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
