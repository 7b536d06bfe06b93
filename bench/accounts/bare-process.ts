// A bare Fastify route for each measured route: the same statements, the same checks that cost CPU, the same response.
import { generateKeyPairSync } from 'node:crypto'
import { Agent, get } from 'node:http'
import { createRequire } from 'node:module'
import Fastify from 'fastify'
import { SignJWT } from 'jose'
import pg from 'pg'
import { answerParent, partOptions } from '../part.ts'
import { replay } from './replay-statements.ts'
import type { Batch } from './record-statements.ts'

// The library of the control plane is installed in its folder.
const requireOfControlPlane = createRequire(new URL('../../control-plane/package.json', import.meta.url))
const { verifyPassword } = requireOfControlPlane('better-auth/crypto') as {
  verifyPassword(given: { hash: string; password: string }): Promise<boolean>
}

/** What a route does besides its statements. */
export type BareRoute = { name: string; batches: Batch[]; body: unknown; password?: string; daemon?: string }

const { databaseUrl } = partOptions<{ databaseUrl: string }>()
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const agent = new Agent({ keepAlive: true, maxSockets: 10 })
const { privateKey } = generateKeyPairSync('ed25519')
const routes = new Map<string, BareRoute>()

const readDaemon = (url: string) =>
  new Promise<void>((resolve, reject) => {
    get(url, { agent }, (response) => void response.resume().once('end', resolve)).once('error', reject)
  })
const sign = () =>
  new SignJWT({ org: 'o', vault: 'v', role: 'admin' }).setProtectedHeader({ alg: 'EdDSA' }).setJti('j').sign(privateKey)

const app = Fastify()
app.all<{ Params: { name: string }; Body: { password?: string } | undefined }>('/:name', async ({ params, body }) => {
  const route = routes.get(params.name)
  if (route === undefined) throw new Error(`no route ${params.name}`)
  await replay(pool, route.batches)
  if (route.password !== undefined)
    if (!(await verifyPassword({ hash: route.password, password: body?.password ?? '' }))) throw new Error('wrong')
  if (route.daemon !== undefined) {
    await readDaemon(route.daemon)
    await sign()
  }
  return route.body
})
app.get('/', async (_request, reply) => reply.type('text/html').send('<!doctype html><title>bare</title><p>bare'))
const origin = await app.listen({ host: '127.0.0.1', port: 0 })

const answers = {
  origin: () => origin,
  mount: (route: BareRoute) => void routes.set(route.name, route),
}
export type BareAnswers = typeof answers
answerParent(answers, async () => {
  await app.close()
  await pool.end()
})
