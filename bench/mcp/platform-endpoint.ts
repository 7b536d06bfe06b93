import { consent, LOOPBACK_REDIRECT, rawAgent } from '../../test/support/agent-client.ts'
import { createPerson } from '../../test/support/person.ts'
import { startPlatform } from '../../test/support/platform.ts'
import { until } from '../../test/support/until.ts'
import { mcpCaller } from './mcp-caller.ts'

/** A platform with one self-hosted organization: the settings with which its daemon connects, and an approved agent. */
export async function platformEndpoint() {
  const platform = await startPlatform({ MCP_ENABLED: '1' })
  const ada = createPerson(platform.origin, platform.mailbox)
  await ada.signUp({ email: 'ada@example.org' })
  const { organization, apiKey } = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body
  const { id: orgId, slug: org } = organization as { id: string; slug: string }

  return {
    relay: { SVC_RELAY_URL: `${platform.origin}/t/${orgId}`, SVC_RELAY_TOKEN: apiKey as string },
    /** Connects an agent and approves it, once the daemon is connected; returns a function that calls tools. */
    connectAgent: async () => {
      await until('the daemon is connected', async () => {
        const { organizations } = (await ada.get('/api/vaults')).body as { organizations: { vaults: unknown[] }[] }
        return organizations.some(({ vaults }) => vaults.length > 0)
      })
      const agent = rawAgent(platform.origin)
      const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
      const back = await consent(ada, agent.authorizationUrl(client_id), { vaults: [{ orgId, vaultId: null }] })
      const { access_token } = (await agent.exchange(client_id, back.searchParams.get('code') ?? '')).body
      const authorization = { authorization: `Bearer ${access_token}` }
      const call = await mcpCaller(platform.origin.replace('localhost', '127.0.0.1'), authorization)
      // The first call asks for approval.
      await call('list_vaults', { org }).catch(() => {})
      const { integrations } = (await ada.get(`/api/orgs/${orgId}/integrations`)).body
      await ada.post(`/api/orgs/${orgId}/integrations/${integrations[0].id}/approve`, { access: 'write' })
      return (name: string, args: object) => call(name, { org, ...args })
    },
    stop: platform.remove,
  }
}
