import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '@svc/shared/kit/clock.ts'
import { newId } from '@svc/shared/wire/new-id.ts'
import { verifies } from '../requirements.ts'
import { callTool, connectAgent, consent, LOOPBACK_REDIRECT, rawAgent } from '../support/agent-client.ts'
import { startControlPlane, type TestControlPlane } from '../support/control-plane.ts'
import { makeFirstAdmin } from '../support/first-admin.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000
const operatorOrg = newId('org_')
let offset = 0
const clock: Clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + offset) }

let cp: TestControlPlane
let ada: Person
let root: Person
let acme: { id: string; slug: string }
let other: { id: string; slug: string }
let agent: ReturnType<typeof rawAgent>

beforeAll(async () => {
  cp = await startControlPlane({ environment: { MCP_ENABLED: '1', OPERATOR_ORG: operatorOrg }, clock })
  agent = rawAgent(cp.origin)
  ada = cp.person()
  root = cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  await root.signUp({ email: 'root@example.org' })
  await makeFirstAdmin(cp, operatorOrg, root, clock)
  acme = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Acme' })).body.organization
  other = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Other' })).body.organization
})
afterAll(() => cp.stop())

type Row = { id: string; state: string; key: string }
const listIntegrations = async (org = acme): Promise<Row[]> =>
  (await ada.get(`/api/orgs/${org.id}/integrations`)).body.integrations
const integrationOf = async (key = 'local', org = acme): Promise<Row> =>
  (await listIntegrations(org)).find((row) => row.key === key)!
const approve = async (body: object = {}, key = 'local', org = acme) => {
  const { id } = await integrationOf(key, org)
  return ada.post(`/api/orgs/${org.id}/integrations/${id}/approve`, { access: 'write', ...body })
}
const change = async (state: string, key = 'local') => {
  const { id } = await integrationOf(key)
  return ada.patch(`/api/orgs/${acme.id}/integrations/${id}`, { state })
}
/**
 * The error code of a failed call. A call that passes every check fails with `daemon_offline`, because no daemon runs
 * here.
 */
const codeOf = async (client: Client, args: object = { org: acme.slug }, tool = 'list_vaults'): Promise<string> =>
  String((await callTool(client, tool, { ...args })).code)
const PASSED = 'daemon_offline'
const auth = (person: Person, path: string, body: object) => person.post(`/api/auth/organization/${path}`, body)
const admitToOther = async (person: Person) => {
  const { answer: invited, token } = await cp.mailedBy(person.email, 'invitation', () =>
    auth(ada, 'invite-member', { organizationId: other.id, email: person.email, role: 'member' }),
  )
  await auth(person, 'accept-invitation', { invitationId: invited.body.id, token })
}
const everything = (org = acme) => ({ vaults: [{ orgId: org.id, vaultId: null }] })

describe('approval', () => {
  test('a call without one asks for it; the admin decides what it may and for how long', async () => {
    verifies('agents.two-consents')
    const { client } = await connectAgent(cp.origin, ada, everything())
    const asked = await callTool(client, 'list_vaults', { org: acme.slug })
    expect(asked).toMatchObject({ code: 'integration_not_approved', standing: 'unknown' })
    expect(asked.message).toContain('ask an admin')
    expect(await listIntegrations()).toMatchObject([
      { key: 'local', name: 'Archivist', state: 'requested', host: null },
    ])
    expect(await callTool(client, 'list_vaults', { org: acme.slug })).toMatchObject({ standing: 'requested' })

    expect((await approve({ access: 'read', days: 30 })).status).toBe(200)
    expect(await codeOf(client)).toBe(PASSED)
    const write = { org: acme.slug, vaultId: 'v', path: 'a.md', content: 'x' }
    expect(await codeOf(client, write, 'create_note')).toBe('forbidden')
    await approve()
    expect(await codeOf(client, write, 'create_note')).toBe(PASSED)

    const { rows } = { rows: (await ada.get(`/api/orgs/${acme.id}/audit`)).body.entries as { record: object }[] }
    expect(rows.map(({ record }) => record)).toContainEqual(expect.objectContaining({ event: 'agents.approved' }))
    expect(JSON.stringify(rows)).not.toContain('a.md')
  })

  test('members decide nothing, and outsiders see nothing', async () => {
    const { id } = await integrationOf()
    const path = `/api/orgs/${acme.id}/integrations`
    expect((await root.get(path)).status).toBe(404)
    expect((await root.post(`${path}/${id}/approve`, { access: 'write' })).status).toBe(404)
    expect((await ada.post(`/api/orgs/${other.id}/integrations/${id}/approve`, { access: 'write' })).status).toBe(404)
  })
})

test('admins see by the address which member without a name asks and approves', async () => {
  verifies('agents.two-consents')
  const fay = cp.person()
  await fay.signUp({ email: 'fay@example.org' })
  const org = (await fay.post('/api/provisioning/orgs/self-hosted', { name: 'Fjord' })).body.organization
  await cp.db.updateTable('user').set({ name: '' }).where('id', '=', fay.id).execute()
  const { client } = await connectAgent(cp.origin, fay, everything(org))
  await callTool(client, 'list_vaults', { org: org.slug })
  const path = `/api/orgs/${org.id}/integrations`
  const [{ id }] = (await fay.get(path)).body.integrations as [Row]
  await fay.post(`${path}/${id}/approve`, { access: 'read' })
  const shown = { requestedBy: fay.email, approvedBy: fay.email, people: [{ name: fay.email }] }
  expect((await fay.get(path)).body.integrations).toMatchObject([shown])

  await cp.db.updateTable('member').set({ userId: ada.id }).where('userId', '=', fay.id).execute()
  const departed = { requestedBy: null, approvedBy: null, people: [] }
  expect((await ada.get(path)).body.integrations).toMatchObject([departed])
})

describe('decisions at once', () => {
  const insert = async (orgId: string, key: string): Promise<string> => {
    const id = newId('int_')
    const row = { id, org_id: orgId, key, name: 'Chat', state: 'requested' as const, requested_at: new Date() }
    await cp.db.insertInto('agent_integrations').values(row).execute()
    return id
  }
  const decide = (id: string, body: object) =>
    ada.post(`/api/orgs/${acme.id}/integrations/${id}/approve`, { access: 'read', ...body })
  const waiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(cp.db)
    return rows.length
  }
  /** Sends requests, one after the other, none of which can change these rows before all wait. */
  const whileHeld = (ids: string[], requests: (() => ReturnType<typeof decide>)[]) =>
    cp.db
      .transaction()
      .execute(async (trx) => {
        await trx.selectFrom('agent_integrations').select('id').where('id', 'in', ids).forUpdate().execute()
        const sent: ReturnType<typeof decide>[] = []
        for (const request of requests) {
          sent.push(request())
          await until('the request waits', async () => (await waiting()) === sent.length)
        }
        return sent
      })
      .then((sent) => Promise.all(sent))

  test('two approvals of addresses as their whole site leave one row for the site', async () => {
    verifies('agents.decisions-in-turn')
    const ids = [await insert(acme.id, 'https://twins.example/1'), await insert(acme.id, 'https://twins.example/2')]
    const approvals = ids.map((id) => () => decide(id, { covers: 'whole_site' }))
    const answers = await whileHeld(ids, approvals)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const rows = (await listIntegrations()).filter(({ key }) => key.startsWith('https://twins.example'))
    expect(rows).toMatchObject([{ key: 'https://twins.example', state: 'approved' }])
  })

  test('an approval of a row that another approval replaces is neither made nor audited', async () => {
    verifies('agents.decisions-in-turn')
    const [site, address] = [
      await insert(acme.id, 'https://site.example'),
      await insert(acme.id, 'https://site.example/1'),
    ]
    const answers = await whileHeld(
      [site],
      [() => decide(address, { covers: 'whole_site' }), () => decide(site, { access: 'write' })],
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 404])
    const { entries } = (await ada.get(`/api/orgs/${acme.id}/audit`)).body as { entries: { record: object }[] }
    const records = entries.map(({ record }) => record)
    expect(records).toContainEqual(expect.objectContaining({ event: 'agents.approved', subject: address }))
    expect(records).not.toContainEqual(expect.objectContaining({ subject: site }))
  })
})

test('nobody keeps others from asking: what is decided takes no room, and each member has a share', async () => {
  verifies('agents.requests')
  const { organization } = (await ada.post('/api/provisioning/orgs/self-hosted', { name: 'Crowded' })).body
  const ben = cp.person()
  await ben.signUp({ email: 'ben@example.org' })
  const member = {
    id: newId('x'),
    organizationId: organization.id,
    userId: ben.id,
    role: 'member' as const,
    createdAt: new Date(),
  }
  await cp.db.insertInto('member').values(member).execute()
  const requests = (count: number, state: 'requested' | 'revoked') =>
    cp.db
      .insertInto('agent_integrations')
      .values(
        Array.from({ length: count }, (_, at) => ({
          id: newId('int_'),
          org_id: organization.id,
          key: `https://${state}.example/${at}`,
          name: 'Many',
          state,
          requested_by: ben.id,
          requested_at: new Date(),
        })),
      )
      .execute()
  await requests(250, 'revoked')
  await requests(20, 'requested')

  const { client } = await connectAgent(cp.origin, ben, everything(organization))
  const call = () => callTool(client, 'list_vaults', { org: organization.slug })
  const refused = await call()
  expect(refused).toMatchObject({ code: 'integration_not_approved', standing: 'unknown' })
  expect(refused.message).toContain('No request was sent')
  expect(await integrationOf('local', organization)).toBeUndefined()

  const { client: adas } = await connectAgent(cp.origin, ada, everything(organization))
  expect((await callTool(adas, 'list_vaults', { org: organization.slug })).message).toContain('was sent just now')
  expect(await integrationOf('local', organization)).toMatchObject({ state: 'requested' })
  expect((await call()).message).toContain('waits for the approval')

  await cp.db
    .deleteFrom('agent_integrations')
    .where('key', '=', 'local')
    .where('org_id', '=', organization.id)
    .execute()
  const { id } = await integrationOf('https://requested.example/0', organization)
  await ada.patch(`/api/orgs/${organization.id}/integrations/${id}`, { state: 'revoked' })
  expect((await call()).message).toContain('was sent just now')
})

describe('the end of access', () => {
  test('whatever ends it, the next call fails and tokens refresh no more where a person ended it', async () => {
    verifies('agents.revocation', 'agents.platform-rules')
    const { client } = await connectAgent(cp.origin, ada, everything())
    await approve()
    expect(await codeOf(client)).toBe(PASSED)

    const pause = async (paused: boolean) => {
      const { apps } = (await ada.get('/api/settings/agents')).body as { apps: { id: string }[] }
      for (const { id } of apps) expect((await ada.patch(`/api/settings/agents/${id}`, { paused })).status).toBe(200)
    }
    const table: [string, () => Promise<unknown>, string, () => Promise<unknown>][] = [
      ['the person pauses it', () => pause(true), 'forbidden', () => pause(false)],
      ['an admin pauses it', () => change('paused'), 'integration_not_approved', () => change('approved')],
      ['an admin revokes it', () => change('revoked'), 'integration_not_approved', () => approve()],
      [
        'its time is over',
        async () => void (offset += 91 * DAY_MS),
        'expired',
        async () => void (offset -= 91 * DAY_MS),
      ],
      [
        'the platform blocks it',
        () => root.send('PUT', '/api/admin/agent-rules', { body: { key: 'local', verdict: 'blocked' } }),
        'integration_not_approved',
        () => root.send('PUT', '/api/admin/agent-rules', { body: { key: 'local', verdict: 'none' } }),
      ],
      [
        'the platform allows another one alone',
        () => root.send('PUT', '/api/admin/agent-rules', { body: { key: 'https://claude.ai', verdict: 'allowed' } }),
        'integration_not_approved',
        () => root.send('PUT', '/api/admin/agent-rules', { body: { key: 'https://claude.ai', verdict: 'none' } }),
      ],
    ]
    for (const [sentence, end, code, restore] of table) {
      if (code === 'expired') {
        // Change only the row: moving the clock would also let the tokens expire.
        await cp.db
          .updateTable('agent_integrations')
          .set({ expires_at: new Date(0) })
          .execute()
        expect([sentence, await codeOf(client)]).toEqual([sentence, 'integration_not_approved'])
        await approve()
      } else {
        await end()
        expect([sentence, await codeOf(client)]).toEqual([sentence, code])
        await restore()
      }
      expect([sentence, await codeOf(client)]).toEqual([sentence, PASSED])
    }
  })

  test('a person pauses their own programs alone', async () => {
    verifies('agents.revocation')
    const [app] = (await ada.get('/api/settings/agents')).body.apps
    expect((await root.patch(`/api/settings/agents/${app.id}`, { paused: true })).status).toBe(404)
    expect((await ada.patch(`/api/settings/agents/${app.id}`, { paused: 1 })).status).toBe(400)
    expect((await ada.get('/api/settings/agents')).body.apps[0].paused).toBe(false)
  })

  test.each<[string, (person: Person, grantId: string) => Promise<unknown>]>([
    ['the person disconnects it', (person, grantId) => person.delete(`/api/settings/agents/${grantId}`)],
    [
      'the person changes the password',
      (person) =>
        person.post('/api/auth/change-password', {
          currentPassword: 'correct horse battery staple',
          newPassword: 'another horse battery staple',
        }),
    ],
    [
      'the person is deleted',
      async (person) => {
        await cp.db.updateTable('member').set({ userId: root.id }).where('userId', '=', person.id).execute()
        await cp.db.deleteFrom('user').where('id', '=', person.id).execute()
      },
    ],
  ])('%s', async (_sentence, end) => {
    verifies('agents.revocation')
    const ben = cp.person()
    await ben.signUp({ email: `${newId('x')}@example.org` })
    const { organization } = (await ben.post('/api/provisioning/orgs/self-hosted', { name: 'Bens' })).body
    const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
    const back = await consent(ben, agent.authorizationUrl(client_id), everything(organization))
    const { body: tokens } = await agent.exchange(client_id, back.searchParams.get('code') ?? '')
    expect((await agent.mcp(tokens.access_token)).status).toBe(200)

    const [app] = (await ben.get('/api/settings/agents')).body.apps
    await end(ben, app.id)
    expect((await agent.mcp(tokens.access_token)).status).toBe(401)
    expect((await agent.refresh(client_id, tokens.refresh_token)).body.error).toMatch(/^invalid_/)
    expect(
      await cp.db.selectFrom('oauthRefreshToken').select('id').where('clientId', '=', client_id).execute(),
    ).toEqual([])
  })

  test('a member who is removed loses the organization with the next call, also when admitted again', async () => {
    verifies('agents.revocation')
    const dora = cp.person()
    await dora.signUp({ email: 'dora@example.org' })
    await admitToOther(dora)
    const own = (await dora.post('/api/provisioning/orgs/self-hosted', { name: 'Doras' })).body.organization
    const { client } = await connectAgent(cp.origin, dora, {
      vaults: [other, own].map(({ id }) => ({ orgId: id, vaultId: null })),
    })
    await codeOf(client, { org: other.slug })
    await approve({}, 'local', other)
    expect(await codeOf(client, { org: other.slug })).toBe(PASSED)

    await auth(ada, 'remove-member', { organizationId: other.id, memberIdOrEmail: dora.email })
    expect(await codeOf(client, { org: other.slug })).toBe('not_found')
    await admitToOther(dora)
    expect(await codeOf(client, { org: other.slug })).toBe('not_found')
    expect((await callTool(client, 'list_orgs')).orgs).toMatchObject([{ org: own.slug }])
    const { apps } = (await dora.get('/api/settings/agents')).body
    expect(apps).toMatchObject([{ vaults: [{ orgId: own.id, vaultId: null }] }])
  })

  test('a consent that is overtaken by the removal of its person allows nothing', async () => {
    verifies('agents.revocation')
    const eve = cp.person()
    await eve.signUp({ email: 'eve@example.org' })
    await admitToOther(eve)
    const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
    const [removed, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const removal = cp.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('member').where('userId', '=', eve.id).where('organizationId', '=', other.id).execute()
      removed.resolve()
      await committing.promise
    })
    await removed.promise
    const consented = expect(consent(eve, agent.authorizationUrl(client_id), everything(other))).rejects.toThrow(
      'not_found',
    )
    await until('the consent waits for the removal', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(cp.db)
      return rows.length > 0
    })
    committing.resolve()
    await Promise.all([removal, consented])
    expect((await eve.get('/api/settings/agents')).body.apps).toEqual([])
  })
})

describe('isolation', () => {
  test('two organizations, one person, one client: only what was chosen is reached', async () => {
    verifies('agents.isolation')
    const { client } = await connectAgent(cp.origin, ada, { vaults: [{ orgId: acme.id, vaultId: 'notes' }] })
    await approve()
    expect((await callTool(client, 'list_orgs')).orgs.map(({ org }: { org: string }) => org)).toEqual([acme.slug])
    for (const org of [other.slug, other.id, operatorOrg, 'nobody', '', '../acme'])
      expect([org, await codeOf(client, { org })]).toEqual([org, org === '' ? 'invalid_request' : 'not_found'])
    expect(await codeOf(client, { org: acme.slug, vaultId: 'other', path: 'a.md' }, 'read_note')).toBe('not_found')
    expect(await codeOf(client, { org: acme.slug, vaultId: 'notes', path: 'a.md' }, 'read_note')).toBe(PASSED)
    expect(await codeOf(client, { org: acme.id, vaultId: 'notes', path: 'a.md' }, 'read_note')).toBe(PASSED)
  })

  test('consent for an organization of somebody else is refused', async () => {
    verifies('agents.isolation')
    const { client_id } = (await agent.register({ redirect_uris: [LOOPBACK_REDIRECT] })).body
    await expect(consent(root, agent.authorizationUrl(client_id), everything())).rejects.toThrow('not_found')
  })
})

describe('what is approved', () => {
  const good = 'https://claude.ai/api/mcp/auth_callback'
  const evil = 'https://evil.example/callback'
  const signIn = async (clientId: string, redirect_uri: string) => {
    const back = await consent(ada, agent.authorizationUrl(clientId, { redirect_uri }), everything())
    return agent.exchange(clientId, back.searchParams.get('code') ?? '', { redirect_uri })
  }
  const call = async (token: string) => {
    const params = { name: 'list_vaults', arguments: { org: acme.slug } }
    const { status, text } = await agent.mcp(token, {
      message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    return status === 200 ? (/"code":"(\w+)"/.exec(text)?.[1] ?? text) : status
  }

  test('a name proves nothing: the address that codes go to is approved', async () => {
    verifies('agents.key')
    const body = { client_name: 'Claude', redirect_uris: [good] }
    const real = (await agent.register(body)).body.client_id
    const spoof = (await agent.register({ ...body, redirect_uris: [evil] })).body.client_id
    const [mine, theirs] = [(await signIn(real, good)).body.access_token, (await signIn(spoof, evil)).body.access_token]
    expect(await call(mine)).toBe('integration_not_approved')
    await approve({}, good)
    expect(await call(mine)).toBe(PASSED)
    expect(await call(theirs)).toBe('integration_not_approved')
    expect((await listIntegrations()).filter(({ key }) => key === good || key === evil)).toMatchObject([
      { key: evil, name: 'Claude', host: 'evil.example', state: 'requested' },
      { key: good, name: 'Claude', host: 'claude.ai', state: 'approved' },
    ])
  })

  test('tokens of one address of a client never gain the approval of another one', async () => {
    verifies('agents.key')
    const client = (await agent.register({ redirect_uris: [good, evil] })).body.client_id
    const theirs = (await signIn(client, evil)).body
    const back = await consent(ada, agent.authorizationUrl(client, { redirect_uri: evil }), everything())
    const later = back.searchParams.get('code') ?? ''
    const mine = (await signIn(client, good)).body
    expect(await call(mine.access_token)).toBe(PASSED)
    expect(await call(theirs.access_token)).toBe(401)
    expect((await agent.refresh(client, theirs.refresh_token)).body.error).toBe('invalid_grant')
    expect((await agent.exchange(client, later, { redirect_uri: evil })).body.error).toBe('invalid_grant')
    expect(await call(mine.access_token)).toBe(PASSED)
  })

  test('a whole site can be approved at once, for makers that use an address for each connection', async () => {
    verifies('agents.key')
    const first = 'https://chat.example/connector/1'
    const second = 'https://chat.example/connector/2'
    const client = (await agent.register({ redirect_uris: [first, second] })).body.client_id
    const token = (await signIn(client, first)).body.access_token
    expect(await call(token)).toBe('integration_not_approved')
    await approve({ covers: 'whole_site' }, first)
    expect(await call(token)).toBe(PASSED)
    expect(await call((await signIn(client, second)).body.access_token)).toBe(PASSED)
    expect((await approve({ covers: 'whole_site' })).status).toBe(400)
  })
})
