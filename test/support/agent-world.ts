import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { LOOPBACK_REDIRECT, consent, rawAgent, type Choice } from './agent-client.ts'
import { startControlPlane, type Options } from './control-plane.ts'
import type { Person } from './person.ts'
import { startSvcd, type Svcd } from './svcd.ts'
import { until } from './until.ts'

/** An organization with a real daemon that is connected. */
export type AgentOrganization = { id: string; slug: string; daemon: Svcd }

const ENDED = 'the daemon is connected'

/** A control plane with agents enabled, and organizations whose daemons dial in to it. */
export async function startAgentWorld(options: Options = {}) {
  const cp = await startControlPlane({
    ...options,
    environment: { MCP_ENABLED: '1', ...options.environment },
    working: true,
  })
  const dialIn = createServer(cp.tunnels.dialIn.request).on('upgrade', cp.tunnels.dialIn.upgrade)
  dialIn.listen(0, '127.0.0.1')
  await once(dialIn, 'listening')
  const { port } = dialIn.address() as AddressInfo
  const daemons: Svcd[] = []
  let sent: Buffer[] | undefined
  dialIn.on('connection', (socket: Socket) => {
    const write = socket.write.bind(socket)
    socket.write = ((chunk: string | Uint8Array, ...rest: []) => {
      sent?.push(Buffer.from(chunk))
      return write(chunk, ...rest)
    }) as typeof socket.write
  })

  return {
    cp,
    agent: rawAgent(cp.origin),
    /** Records everything that is sent to the daemons from now on; the returned function returns it as text. */
    recordSent: () => {
      const kept: Buffer[] = (sent = [])
      return () => Buffer.concat(kept).toString('latin1')
    },

    async addOrganization(person: Person, name: string): Promise<AgentOrganization> {
      const { body } = await person.post('/api/provisioning/orgs/self-hosted', { name })
      const { id, slug } = body.organization as { id: string; slug: string }
      const env = { SVC_RELAY_URL: `http://127.0.0.1:${port}/t/${id}`, SVC_RELAY_TOKEN: body.apiKey as string }
      const daemon = await startSvcd({ env })
      daemons.push(daemon)
      await until(ENDED, async () => {
        const listed = await person.get('/api/vaults')
        if (listed.status !== 200) return false
        return (listed.body.organizations as { orgId: string; vaults: unknown[] }[]).some(
          ({ orgId, vaults }) => orgId === id && vaults.length > 0,
        )
      })
      return { id, slug, daemon }
    },

    /** Connects a program for a person; returns its tokens. */
    async signIn(person: Person, choice: Choice, metadata: object = {}) {
      const agent = rawAgent(cp.origin)
      const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT], ...metadata })).body
      const back = await consent(person, agent.authorizationUrl(client_id), choice)
      const { body } = await agent.exchange(client_id, back.searchParams.get('code') ?? '')
      return { clientId: String(client_id), access: String(body.access_token), refresh: String(body.refresh_token) }
    },

    /** Approves programs on the members' own computers. The programs have to request it first. */
    async approve(admin: Person, orgId: string, access: 'read' | 'write' = 'write') {
      const { body } = await admin.get(`/api/orgs/${orgId}/integrations`)
      const { id } = (body.integrations as { id: string; key: string }[]).find(({ key }) => key === 'local')!
      await admin.post(`/api/orgs/${orgId}/integrations/${id}/approve`, { access })
    },

    async stop() {
      await Promise.all(daemons.map((daemon) => daemon.remove()))
      dialIn.closeAllConnections()
      dialIn.close()
      await cp.stop()
    },
  }
}

export type AgentWorld = Awaited<ReturnType<typeof startAgentWorld>>
