import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { startAgentWorld, type AgentOrganization, type AgentWorld } from '../support/agent-world.ts'
import { mailedToken } from '../support/mailbox.ts'
import { mcpSession, messagesOf, type McpMessage, type McpSession } from '../support/mcp-session.ts'
import type { Person } from '../support/person.ts'
import { until } from '../support/until.ts'

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const vaultId = 'demo-vault'
const missing = expect.objectContaining({ message: expect.stringContaining('Resource not found') as string }) as object

let world: AgentWorld
let ada: Person
let acme: AgentOrganization
let bolt: AgentOrganization
let token: string
let sentToDaemons: () => string

const sessionOf = (version: string, access = token) =>
  mcpSession(`${world.cp.origin.replace('localhost', '127.0.0.1')}/mcp`, version, { authorization: `Bearer ${access}` })

beforeAll(async () => {
  world = await startAgentWorld()
  sentToDaemons = world.recordSent()
  ada = world.cp.person()
  await ada.signUp({ email: 'ada@example.org' })
  acme = await world.addOrganization(ada, 'Acme')
  bolt = await world.addOrganization(ada, 'Bolt')
  const vaults = [acme, bolt].map(({ id }) => ({ orgId: id, vaultId: null }))
  token = (await world.signIn(ada, { vaults })).access
  const session = await sessionOf('2025-11-25')
  for (const { id, slug } of [acme, bolt]) {
    await session.tool('list_vaults', { org: slug })
    await world.approve(ada, id)
    await session.tool('create_note', { org: slug, vaultId, path: `${slug}/ü.md`, content: `# Note of ${slug}\n` })
  }
})
afterAll(() => world?.stop())

const uriOf = ({ slug }: AgentOrganization) => `vault://${slug}/${vaultId}/${slug}/%C3%BC.md`

describe.each(VERSIONS)('an agent that speaks %s', (version) => {
  const isModern = version === '2026-07-28'
  let session: McpSession
  beforeAll(async () => void (session = await sessionOf(version)))

  test('reads files of every organization as resources, page by page', async () => {
    verifies('agents.resources', 'mcp.protocol-versions')
    const found: Record<string, unknown>[] = []
    let cursor: string | undefined
    do {
      const { result } = await session.ask('resources/list', cursor === undefined ? {} : { cursor })
      found.push(...result!['resources'])
      cursor = result!['nextCursor']
    } while (cursor !== undefined)
    for (const org of [acme, bolt])
      expect(found).toContainEqual(expect.objectContaining({ uri: uriOf(org), title: `Note of ${org.slug}` }))

    const { result } = await session.ask('resources/read', { uri: uriOf(bolt) })
    expect(result).toMatchObject({ contents: [{ uri: uriOf(bolt), text: '# Note of bolt\n' }] })
    const templates = await session.ask('resources/templates/list')
    expect(templates.result).toMatchObject({ resourceTemplates: [{ uriTemplate: 'vault://{org}/{vaultId}/{+path}' }] })
    for (const uri of [`vault://${vaultId}/README.md`, 'file:///etc/passwd', uriOf(acme).replace('acme/', 'other/')])
      expect([uri, (await session.ask('resources/read', { uri })).error]).toEqual([uri, missing])
    expect((await session.ask('resources/list', { cursor: 'x' })).error?.code).toBe(-32602)
  })

  test('gets prompts with the organization, and completion of all three names', async () => {
    verifies('agents.resources', 'mcp.prompts')
    const { result: listed } = await session.ask('prompts/list')
    expect(listed!['prompts'][0].arguments.map(({ name }: { name: string }) => name)).toContain('org')
    const given = { org: acme.slug, vaultId, path: 'a.md' }
    const { result: prompt } = await session.ask('prompts/get', { name: 'summarize_note', arguments: given })
    expect(prompt!['messages'][0].content.text).toContain('"acme"')
    const complete = async (name: string, value: string, known: object) => {
      const ref = { type: 'ref/prompt', name: 'summarize_note' }
      const params = { ref, argument: { name, value }, context: { arguments: known } }
      return (await session.ask('completion/complete', params)).result!['completion'].values as string[]
    }
    expect(await complete('org', 'A', {})).toEqual([acme.slug])
    expect(await complete('vaultId', 'de', { org: acme.slug })).toEqual([vaultId])
    expect(await complete('path', 'ü', { org: bolt.slug, vaultId })).toEqual(['bolt/ü.md'])
    expect(await complete('path', '', { org: 'other', vaultId })).toEqual([])
  })

  test('is told when a file changes that it follows, and nothing of others', async () => {
    verifies('agents.resources')
    const over = new AbortController()
    const uri = uriOf(acme)
    let stream: Response
    if (isModern)
      stream = await session.open(
        'subscriptions/listen',
        { notifications: { resourceSubscriptions: [uri] } },
        over.signal,
      )
    else {
      stream = await session.stream(over.signal)
      expect((await session.ask('resources/subscribe', { uri })).error).toBeUndefined()
    }
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    const note = { org: acme.slug, vaultId, path: 'acme/ü.md' }
    const write = async () => {
      const { baseline, content } = await session.tool('read_note', note)
      const edits = [{ oldText: String(content), newText: `${content}${version}\n` }]
      expect((await session.tool('edit_note', { ...note, baseline, edits })).isError).toBe(false)
    }
    const other = { org: acme.slug, vaultId, path: `other-${version}.md`, content: 'x\n' }
    expect((await session.tool('create_note', other)).isError).toBe(false)
    await write()
    const told: McpMessage[] = []
    for await (const message of messagesOf(stream)) {
      if (message.method === 'notifications/resources/updated') told.push(message)
      if (told.length > 0) break
    }
    expect(told[0]!.params).toMatchObject({ uri })
    over.abort()
  })

  // The latest protocol has no such stream.
  if (!isModern)
    test('opens its stream also after many HEAD requests for it', async () => {
      verifies('http.head')
      const over = new AbortController()
      for (let requests = 0; requests < 12; requests += 1) await session.stream(over.signal, 'HEAD')
      await until('a stream is opened', async () => {
        const stream = await session.stream(over.signal)
        return stream.status === 200
      })
      over.abort()
    })

  test('may not follow what it may not read', async () => {
    verifies('agents.resources', 'agents.isolation')
    const foreign = uriOf(acme).replace('acme/', 'other/')
    const refused = isModern
      ? await session.ask('subscriptions/listen', { notifications: { resourceSubscriptions: [foreign] } })
      : await session.ask('resources/subscribe', { uri: foreign })
    expect(refused.error?.code).toBeLessThan(0)
  })

  test('hears that a long call runs, from its first second on, and can cancel it', async () => {
    verifies('mcp.progress', 'agents.resources')
    acme.daemon.process.kill('SIGSTOP')
    try {
      const params = { name: 'list_notes', arguments: { org: acme.slug, vaultId }, _meta: { progressToken: 'p' } }
      const leaving = new AbortController()
      const response = await session.open('tools/call', params, leaving.signal)
      expect(response.status).toBe(200)
      const told: McpMessage[] = []
      for await (const message of messagesOf(response)) {
        told.push(message)
        if (message.method !== 'notifications/progress' || isModern) break
        const requestId = session.lastId()
        await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
      }
      leaving.abort()
      expect(told[0]!.params).toMatchObject({ progressToken: 'p', progress: 1 })
      // The daemon does not respond yet, so only a cancelled call can have ended.
      if (!isModern) expect(told.at(-1)).toMatchObject({ result: { isError: true } })
    } finally {
      acme.daemon.process.kill('SIGCONT')
    }
  })
})

test('one person, one client, two organizations: a call never lands in the other one', async () => {
  verifies('agents.isolation', 'mcp.control-plane')
  const session = await sessionOf('2025-11-25')
  const note = (org: AgentOrganization) => ({ org: org.slug, vaultId, path: 'which.md' })
  const rounds = Array.from({ length: 20 }, (_, index) => [acme, bolt][index % 2]!)
  for (const org of [acme, bolt]) await session.tool('create_note', { ...note(org), content: `${org.slug}\n` })
  const read = await Promise.all(rounds.map((org) => session.tool('read_note', note(org))))
  expect(read.map(({ content }) => content)).toEqual(rounds.map(({ slug }) => `${slug}\n`))

  const narrow = (await world.signIn(ada, { vaults: [{ orgId: acme.id, vaultId }] })).access
  const inAcme = await sessionOf('2025-11-25', narrow)
  expect((await inAcme.tool('read_note', note(acme))).content).toBe('acme\n')
  expect(await inAcme.tool('read_note', note(bolt))).toMatchObject({ isError: true, code: 'not_found' })
  expect((await inAcme.ask('resources/read', { uri: uriOf(bolt) })).error).toEqual(missing)
  const { result } = await inAcme.ask('resources/list')
  expect(JSON.stringify(result)).not.toContain('vault://bolt')
})

test('a grant of many single vaults: those that one call can name are accepted, and a call names its vault alone', async () => {
  verifies('agents.many-vaults')
  const manyOf = (count: number) => [
    { orgId: acme.id, vaultId },
    ...Array.from({ length: count - 1 }, (_, at) => ({ orgId: acme.id, vaultId: String(at).padStart(20, 'v') })),
  ]
  await expect(world.signIn(ada, { vaults: manyOf(300) })).rejects.toThrow(/invalid_request.*whole organization/)

  const { access, clientId } = await world.signIn(ada, { vaults: manyOf(150) })
  const session = await sessionOf('2025-11-25', access)
  const note = { org: acme.slug, vaultId, path: 'README.md' }
  expect(await session.tool('list_vaults', note)).toMatchObject({ isError: false, vaults: [{ id: vaultId }] })
  expect(await session.tool('read_note', note)).toMatchObject({ isError: false })

  // A grant of a time without this limit.
  await world.cp.db
    .updateTable('agent_grants')
    .set({ vaults: JSON.stringify(manyOf(500)) })
    .where('client_id', '=', clientId)
    .execute()
  expect(await session.tool('read_note', note)).toMatchObject({ isError: false })
  expect(
    (await session.ask('resources/read', { uri: `vault://${acme.slug}/${vaultId}/README.md` })).result,
  ).toBeDefined()
  const listed = await session.tool('list_vaults', { org: acme.slug })
  expect(listed).toMatchObject({ code: 'forbidden', reason: 'too_many_vaults_granted' })
})

test('the organization under another name is understood, and two that differ are refused', async () => {
  verifies('mcp.mistakes', 'agents.isolation')
  const session = await sessionOf('2025-11-25')
  const note = { vaultId, path: 'README.md', maxChars: null }
  expect(await session.tool('read_note', { organization_id: acme.slug, ...note })).toMatchObject({ isError: false })
  const both = await session.tool('read_note', { org: acme.slug, organization: bolt.slug, ...note })
  expect(both).toMatchObject({ code: 'invalid_request', problems: [{ path: 'organization' }] })
  const none = await session.tool('read_note', { ...note, org: null })
  expect(none).toMatchObject({ code: 'invalid_request', problems: [{ path: 'org' }] })
})

test('a tool, an organization and a vault that are not there are told with where the right name is found', async () => {
  verifies('mcp.mistakes')
  for (const version of ['2025-11-25', '2026-07-28']) {
    const session = await sessionOf(version)
    const asked = await session.ask('tools/call', { name: 'raed_note', arguments: { org: acme.slug } })
    expect(asked.error).toMatchObject({ code: -32602, message: 'Unknown tool: raed_note. Did you mean read_note?' })
    const note = { org: acme.slug, vaultId, path: 'README.md' }
    const nowhere = await session.tool('read_note', { ...note, org: 'Acme Inc' })
    expect(nowhere).toMatchObject({ code: 'not_found', next: 'Take org from list_orgs.' })
    const novault = await session.tool('read_note', { ...note, vaultId: 'Demo' })
    expect(novault).toMatchObject({ code: 'not_found', next: expect.stringContaining('list_vaults') as string })
  }
})

test("the token of an agent never reaches a daemon, and the daemon's own endpoint stays out of the relay", async () => {
  verifies('agents.token-passthrough')
  const session = await sessionOf('2025-11-25')
  await session.tool('create_note', { org: acme.slug, vaultId, path: 'seen-by-the-daemon.md', content: 'x\n' })
  const sent = sentToDaemons()
  expect(sent).toContain('seen-by-the-daemon.md')
  expect(sent).not.toContain(token)
  expect(sent).not.toContain(token.slice(0, 20))
  expect(sent).not.toContain('POST /mcp')
})

test('an agent takes back what it did, over the platform, after it was shown it', async () => {
  verifies('revert.by-agent', 'mcp.control-plane')
  const session = await sessionOf('2026-07-28')
  const where = { org: bolt.slug, vaultId }
  await session.tool('create_note', { ...where, path: 'undo.md', content: 'x\n' })
  const wish = { ...where, since: '2000-01-01T00:00:00Z', path: 'undo.md' }
  const shown = await session.tool('revert_changes', wish)
  expect(shown).toMatchObject({ isError: false, done: false, notes: [{ path: 'undo.md', action: 'trash' }] })
  expect(await session.tool('revert_changes', { ...wish, review: shown['review'] })).toMatchObject({ done: true })
  expect(await session.tool('read_note', { ...where, path: 'undo.md' })).toMatchObject({ code: 'not_found' })
})

test('the audit of the organization names person, program and what it was approved as, and no note', async () => {
  verifies('agents.audit')
  const choice = { vaults: [{ orgId: acme.id, vaultId: null }] }
  const { access } = await world.signIn(ada, choice, { client_name: 'Bookkeeper' })
  const session = await sessionOf('2025-11-25', access)
  const note = { org: acme.slug, vaultId, path: 'Never in the audit.md' }
  await session.tool('create_note', { ...note, content: 'nor this\n' })
  await session.tool('read_note', note)
  const { entries } = (await ada.get(`/api/orgs/${acme.id}/audit`)).body as {
    entries: { record: Record<string, unknown> }[]
  }
  const calls = entries.map(({ record }) => record).filter(({ event }) => event === 'agents.write')
  expect(calls).toContainEqual(
    expect.objectContaining({ actor: { kind: 'mcp_client', id: ada.id }, client: 'Bookkeeper', subject: 'local' }),
  )
  expect(JSON.stringify(entries)).not.toContain('Never in the audit')
  expect(JSON.stringify(entries)).not.toContain('nor this')
})

test('a stream ends within seconds when the person disconnects the program', async () => {
  verifies('agents.revocation', 'agents.resources')
  const { access } = await world.signIn(ada, { vaults: [{ orgId: acme.id, vaultId: null }] }, { client_name: 'Ends' })
  const session = await sessionOf('2025-11-25', access)
  const stream = await session.stream(AbortSignal.timeout(60_000))
  const { apps } = (await ada.get('/api/settings/agents')).body as { apps: { id: string; name: string }[] }
  await ada.delete(`/api/settings/agents/${apps.find(({ name }) => name === 'Ends')!.id}`)
  for await (const message of messagesOf(stream)) expect(message).toBeUndefined()
  expect((await session.open('tools/list')).status).toBe(401)
})

test('a stream ends within seconds when its program ends the session', async () => {
  verifies('agents.sessions')
  const session = await sessionOf('2025-11-25')
  const stream = await session.stream(AbortSignal.timeout(60_000))
  const { status } = await fetch(stream.url, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}`, ...session.headers },
  })
  expect(status).toBe(204)
  for await (const message of messagesOf(stream)) expect(message).toBeUndefined()
})

test('who has left an organization has its daemon asked no more, and still sees the connection', async () => {
  verifies('agents.undone')
  const bob = world.cp.person()
  await bob.signUp({ email: 'bob@example.org' })
  const auth = (person: Person, path: string, body: object) => person.post(`/api/auth/organization/${path}`, body)
  const invited = await auth(ada, 'invite-member', { organizationId: acme.id, email: bob.email, role: 'member' })
  const mailed = mailedToken(await world.cp.mailTo(bob.email, 'invitation'))
  await auth(bob, 'accept-invitation', { invitationId: invited.body.id, token: mailed })
  await world.signIn(bob, { vaults: [{ orgId: acme.id, vaultId: null }] }, { client_name: 'Remembered' })
  const shown = async () => {
    const sent = world.recordSent()
    const { apps } = (await bob.get('/api/settings/agents')).body as { apps: { name: string; undone: number | null }[] }
    return { apps, asked: sent().includes('/api/ops/undone') }
  }
  const isAsked = async () => (await shown()).asked
  await expect.poll(isAsked).toBe(true)

  await auth(ada, 'remove-member', { organizationId: acme.id, memberIdOrEmail: bob.email })
  const { apps, asked } = await shown()
  expect(asked).toBe(false)
  expect(apps).toMatchObject([{ name: 'Remembered', undone: null }])
})

test('person and admin see how many changes of a program were taken back, also while the daemon is away', async () => {
  verifies('agents.undone')
  const choice = { vaults: [{ orgId: acme.id, vaultId: null }] }
  const { access } = await world.signIn(ada, choice, { client_name: 'Undone' })
  const session = await sessionOf('2025-11-25', access)
  const ofPerson = async () => {
    const { apps } = (await ada.get('/api/settings/agents')).body as { apps: { name: string; undone: number | null }[] }
    return apps.find(({ name }) => name === 'Undone')!.undone
  }
  const ofKind = async (): Promise<number> => {
    const { body } = await ada.get(`/api/orgs/${acme.id}/integrations`)
    return (body.integrations as { key: string; undone: number }[]).find(({ key }) => key === 'local')!.undone
  }
  // The control plane asks the daemon, and shows the last report if the answer takes longer than 1.5 s.
  const ofBoth = async () => [await ofPerson(), await ofKind()]
  await expect.poll(ofPerson).toBe(0)
  const before = await ofKind()

  const where = { org: acme.slug, vaultId }
  const write = async (path: string) => {
    const { baseline } = await session.tool('create_note', { ...where, path, content: 'one\n' })
    const edits = [{ oldText: 'one', newText: 'two' }]
    expect(await session.tool('edit_note', { ...where, path, baseline, edits })).toMatchObject({ isError: false })
  }
  await write('Undone by me.md')
  await write('Undone by a person.md')
  await session.tool('create_note', { ...where, path: 'Kept.md', content: 'stays\n' })

  const wish = { ...where, since: '2000-01-01T00:00:00Z', path: 'Undone by me.md' }
  const { review } = await session.tool('revert_changes', wish)
  expect(await session.tool('revert_changes', { ...wish, review })).toMatchObject({ done: true })
  await expect.poll(ofBoth).toEqual([2, before + 2])

  const asked = await fetch(`${acme.daemon.url}/api/vaults/${vaultId}/revert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client: 'Undone', since: wish.since, path: 'Undone by a person.md', dryRun: false }),
  })
  expect(asked.status).toBe(200)
  await expect.poll(ofBoth).toEqual([4, before + 4])

  // Another registration of the same program by the same person has a count of its own.
  const twin = await world.signIn(ada, choice, { client_name: 'Undone' })
  const ofTwins = async () => {
    const { apps } = (await ada.get('/api/settings/agents')).body as { apps: { name: string; undone: number | null }[] }
    return apps.filter(({ name }) => name === 'Undone').map(({ undone }) => undone)
  }
  const second = await sessionOf('2025-11-25', twin.access)
  await second.tool('create_note', { ...where, path: 'Undone by the twin.md', content: 'one\n' })
  const twinWish = { ...wish, path: 'Undone by the twin.md' }
  const preview = await second.tool('revert_changes', twinWish)
  expect(await second.tool('revert_changes', { ...twinWish, review: preview.review })).toMatchObject({ done: true })
  await expect.poll(ofTwins).toEqual([1, 4])
  await expect.poll(ofKind).toBe(before + 5)

  await acme.daemon.stop()
  expect(await ofTwins()).toEqual([1, 4])
  expect(await ofKind()).toBe(before + 5)
})
