import { createHash, randomBytes } from 'node:crypto'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { sendRaw, type Answer, type Person } from './person.ts'

/** The redirect address of the test programs. Nobody listens there: the tests read the code from the redirect. */
export const LOOPBACK_REDIRECT = 'http://127.0.0.1:33418/callback'

export type GrantedVault = { orgId: string; vaultId: string | null }
export type Choice = { access?: 'read' | 'write'; vaults: GrantedVault[] }

/**
 * Does what the browser of a signed-in person does at the address that a program opened: the person decides, and the
 * redirect returns the code.
 */
export async function consent(person: Person, authorizationUrl: string, choice: Choice | 'refuse'): Promise<URL> {
  const url = new URL(authorizationUrl)
  const asked = await person.get(url.pathname + url.search)
  const location = asked.headers['location'] ?? ''
  const page = new URL(location, url.origin)
  if (page.pathname !== '/consent') throw new Error(`no consent was asked: ${asked.status} ${location} ${asked.text}`)
  const query = page.search.slice(1)
  const body =
    choice === 'refuse'
      ? { decision: 'refuse', query }
      : { decision: 'connect', query, access: choice.access ?? 'write', vaults: choice.vaults }
  const decided = await person.post('/oauth2/consent', body)
  if (decided.status !== 200) throw new Error(`consent failed: ${decided.text}`)
  return new URL(decided.body.url)
}

/** A client provider for version 1 of the SDK that keeps its state in memory. */
export function memoryProvider(metadata: Record<string, unknown> = {}) {
  const kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; url?: string } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: LOOPBACK_REDIRECT,
    clientMetadata: { client_name: 'Archivist', redirect_uris: [LOOPBACK_REDIRECT], ...metadata },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url.href),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
  }
  return { provider, kept }
}

/** Resolves `localhost` to 127.0.0.1, because systems resolve it differently, and keeps the name as Host. */
export const dialLoopback: typeof fetch = async (input, init) => {
  const request = new Request(input as RequestInfo, init)
  const url = new URL(request.url)
  const body = init?.body === undefined || init.body === null ? undefined : String(init.body)
  const headers = Object.fromEntries(request.headers)
  const answer = await sendRaw(url.origin, { method: request.method, path: url.pathname + url.search, headers, body })
  const told = Object.entries(answer.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  const empty = answer.status === 204 || answer.status === 304
  return new Response(empty ? null : answer.text, { status: answer.status, headers: told as [string, string][] })
}

/**
 * Connects a program on version 1 of the SDK, which discovers everything from the address alone. A person approves it.
 */
export async function connectAgent(origin: string, person: Person, choice: Choice) {
  const { provider, kept } = memoryProvider()
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: provider, fetch: dialLoopback })
  const first = open()
  await new Client({ name: 'archivist', version: '1' }).connect(first).catch(() => undefined)
  if (kept.url === undefined) throw new Error('the program did not ask for sign-in')
  const back = await consent(person, kept.url, choice)
  await first.finishAuth(back.searchParams.get('code') ?? '')
  const client = new Client({ name: 'archivist', version: '1' })
  await client.connect(open())
  return { client, kept, provider, authorizationUrl: kept.url }
}

type ToolAnswer = { isError?: boolean; structuredContent?: Record<string, unknown> }

/** Calls a tool; returns the structured result and whether it is a failure. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { isError = false, structuredContent = {} } = (await client.callTool({ name, arguments: args })) as ToolAnswer
  return { isError, ...structuredContent } as { isError: boolean } & Record<string, any> // eslint-disable-line typescript/no-explicit-any -- tests look into responses freely
}

/** The authorization flow step by step, for requests that no correct program sends. */
export function rawAgent(origin: string) {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
    sendRaw(origin, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  return {
    form,
    verifier,
    register: (body: unknown): Promise<Answer> =>
      sendRaw(origin, {
        method: 'POST',
        path: '/oauth2/register',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    authorizationUrl: (clientId: string, more: Record<string, string> = {}): string =>
      `${origin}/oauth2/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: LOOPBACK_REDIRECT,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        state: 'state-1',
        ...more,
      })}`,
    exchange: (clientId: string, code: string, more: Record<string, string> = {}): Promise<Answer> =>
      form('/oauth2/token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: LOOPBACK_REDIRECT,
        code_verifier: verifier,
        ...more,
      }),
    refresh: (clientId: string, token: string): Promise<Answer> =>
      form('/oauth2/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }),
    /** One MCP request with a token; `list_orgs` unless another call is given. */
    mcp: (
      token: string,
      call: { headers?: Record<string, string>; message?: unknown; method?: string } = {},
    ): Promise<Answer> =>
      sendRaw(origin, {
        method: call.method ?? 'POST',
        path: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...call.headers,
        },
        body: call.method === undefined ? JSON.stringify(call.message ?? LIST_ORGS) : undefined,
      }),
  }
}

const LIST_ORGS = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_orgs', arguments: {} } }
